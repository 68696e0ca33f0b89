"""mteval: is system B really better than system A, once both kinds of luck are accounted for?"""

__version__ = "0.1.0"
