"""Reports: where analyses meet figures and files, for the command line and the pages alike."""
