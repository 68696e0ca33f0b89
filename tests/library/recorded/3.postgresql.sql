SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.library_contents (
    digest text NOT NULL,
    size bigint NOT NULL,
    uses integer NOT NULL
);
CREATE TABLE public.library_ended (
    sign_in text NOT NULL,
    at double precision NOT NULL
);
CREATE TABLE public.library_entries (
    uid text NOT NULL,
    editor text NOT NULL,
    reader text NOT NULL,
    owner text NOT NULL,
    name text NOT NULL,
    note text NOT NULL,
    tags text NOT NULL,
    is_pinned integer NOT NULL,
    created double precision NOT NULL,
    used double precision NOT NULL,
    number integer NOT NULL,
    size bigint NOT NULL,
    editor_until double precision,
    reader_until double precision,
    card text NOT NULL,
    seal text NOT NULL
);
CREATE TABLE public.library_files (
    uid text NOT NULL,
    first integer NOT NULL,
    until integer NOT NULL,
    place integer NOT NULL,
    name text NOT NULL,
    digest text NOT NULL,
    size bigint NOT NULL
);
CREATE TABLE public.library_grants (
    uid text NOT NULL,
    visitor text NOT NULL,
    token text NOT NULL,
    seal text NOT NULL
);
CREATE TABLE public.library_owners (
    owner text NOT NULL,
    bytes bigint NOT NULL
);
CREATE TABLE public.library_states (
    uid text NOT NULL,
    number integer NOT NULL,
    who text NOT NULL,
    began double precision NOT NULL,
    at double precision NOT NULL,
    made text NOT NULL,
    card text NOT NULL,
    seal text NOT NULL
);
CREATE TABLE public.library_total (
    bytes bigint NOT NULL
);
CREATE TABLE public.library_version (
    number integer NOT NULL
);
INSERT INTO public.library_contents VALUES ('0a4c2ac294b537fde162a09a19c1d28a', 12, 1);
INSERT INTO public.library_contents VALUES ('1652401602a44e33c16c7e1aadf4db62', 12, 1);
INSERT INTO public.library_contents VALUES ('ef6555d139bba0ca2326a50024344e1b', 11, 1);
INSERT INTO public.library_contents VALUES ('806f59f6f854834c1f901ffd3dc1c127', 12, 1);
INSERT INTO public.library_contents VALUES ('18b0b6bc0e447e78253e2814c47e99a2', 11, 1);
INSERT INTO public.library_contents VALUES ('442a44457137672b3218c1007dc8f76a', 9, 1);
INSERT INTO public.library_contents VALUES ('cae66941d9efbd404e4d88758ea67670', 8, 1);
INSERT INTO public.library_ended VALUES ('ended', 1795944272.5958118);
INSERT INTO public.library_entries VALUES ('Fw-BRO3SmgYP-7I9Y_vh2A', 'nyYwzFdb9fd_j4lwNDMy5w', 'BgX3QyqBm6lIztEakhRpfA', 'me', 'mine', 'a note 🙂', 'de-en wmt', 1, 1795944269.6286843, 1795944271.4775589, 2, 58, 4000000000, NULL, '{"systems": ["base"]}', '02e61fb352e57c83cfdde3d8f2c4d9fe');
INSERT INTO public.library_entries VALUES ('ip5kuTTYZ4TXsr6KBHhdfw', 'pB9iyJ3pDGHRkZOossE-Pw', 'NsBteUvsqtV7VNu9jBlw1g', 'he', 'damaged', '', '', 0, 1795944271.9817646, 1795944272.1360245, 1, 17, NULL, NULL, '{}', '99db5c0ed3a003bc04e7727d5920ba99');
INSERT INTO public.library_files VALUES ('Fw-BRO3SmgYP-7I9Y_vh2A', 1, 2147483647, 1, 'refs.txt', '1652401602a44e33c16c7e1aadf4db62', 12);
INSERT INTO public.library_files VALUES ('Fw-BRO3SmgYP-7I9Y_vh2A', 1, 2, 0, 'base/a.txt', '0a4c2ac294b537fde162a09a19c1d28a', 12);
INSERT INTO public.library_files VALUES ('Fw-BRO3SmgYP-7I9Y_vh2A', 1, 2, -1, '', 'ef6555d139bba0ca2326a50024344e1b', 11);
INSERT INTO public.library_files VALUES ('Fw-BRO3SmgYP-7I9Y_vh2A', 2, 2147483647, 0, 'base/a.txt', '806f59f6f854834c1f901ffd3dc1c127', 12);
INSERT INTO public.library_files VALUES ('Fw-BRO3SmgYP-7I9Y_vh2A', 2, 2147483647, -1, '', '18b0b6bc0e447e78253e2814c47e99a2', 11);
INSERT INTO public.library_files VALUES ('ip5kuTTYZ4TXsr6KBHhdfw', 1, 2147483647, 0, 'x', '442a44457137672b3218c1007dc8f76a', 9);
INSERT INTO public.library_files VALUES ('ip5kuTTYZ4TXsr6KBHhdfw', 1, 2147483647, -1, '', 'cae66941d9efbd404e4d88758ea67670', 8);
INSERT INTO public.library_grants VALUES ('Fw-BRO3SmgYP-7I9Y_vh2A', 'you', 'BgX3QyqBm6lIztEakhRpfA', '9687de068b22d978d61006202b0bdc63');
INSERT INTO public.library_owners VALUES ('me', 58);
INSERT INTO public.library_owners VALUES ('he', 17);
INSERT INTO public.library_states VALUES ('Fw-BRO3SmgYP-7I9Y_vh2A', 1, 'me', 1795944270.6894374, 1795944270.6894374, '{"seed": 5}', '{"systems": ["base"]}', '2b99c58d4bd7dc7c19c50bb803b053b7');
INSERT INTO public.library_states VALUES ('Fw-BRO3SmgYP-7I9Y_vh2A', 2, 'me', 1795944271.4775589, 1795944271.4775589, '{"seed": 6}', '{"systems": ["base"]}', 'fb8478a9666914d29ff9f4fad481afc5');
INSERT INTO public.library_states VALUES ('ip5kuTTYZ4TXsr6KBHhdfw', 1, 'you', 1795944272.1360245, 1795944272.1360245, '{}', '{}', 'c9dd6f47f945cc7d0f00b85841f82cd4');
INSERT INTO public.library_total VALUES (75);
INSERT INTO public.library_version VALUES (3);
ALTER TABLE ONLY public.library_contents
    ADD CONSTRAINT library_contents_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY public.library_ended
    ADD CONSTRAINT library_ended_pkey PRIMARY KEY (sign_in);
ALTER TABLE ONLY public.library_entries
    ADD CONSTRAINT library_entries_editor_key UNIQUE (editor);
ALTER TABLE ONLY public.library_entries
    ADD CONSTRAINT library_entries_pkey PRIMARY KEY (uid);
ALTER TABLE ONLY public.library_entries
    ADD CONSTRAINT library_entries_reader_key UNIQUE (reader);
ALTER TABLE ONLY public.library_files
    ADD CONSTRAINT library_files_pkey PRIMARY KEY (uid, place, first);
ALTER TABLE ONLY public.library_grants
    ADD CONSTRAINT library_grants_pkey PRIMARY KEY (uid, visitor);
ALTER TABLE ONLY public.library_owners
    ADD CONSTRAINT library_owners_pkey PRIMARY KEY (owner);
ALTER TABLE ONLY public.library_states
    ADD CONSTRAINT library_states_pkey PRIMARY KEY (uid, number);
CREATE INDEX library_entries_by_name ON public.library_entries USING btree (name);
CREATE INDEX library_entries_by_owner ON public.library_entries USING btree (owner, used);
CREATE INDEX library_entries_by_pin ON public.library_entries USING btree (owner, is_pinned, used);
CREATE INDEX library_entries_by_use ON public.library_entries USING btree (used);
CREATE INDEX library_entries_tagged ON public.library_entries USING btree (owner, tags) WHERE (tags <> ''::text);
CREATE INDEX library_files_by_digest ON public.library_files USING btree (digest);
CREATE INDEX library_owners_by_bytes ON public.library_owners USING btree (bytes);
ALTER TABLE ONLY public.library_files
    ADD CONSTRAINT library_files_uid_fkey FOREIGN KEY (uid) REFERENCES public.library_entries(uid) ON DELETE CASCADE;
ALTER TABLE ONLY public.library_grants
    ADD CONSTRAINT library_grants_uid_fkey FOREIGN KEY (uid) REFERENCES public.library_entries(uid) ON DELETE CASCADE;
ALTER TABLE ONLY public.library_states
    ADD CONSTRAINT library_states_uid_fkey FOREIGN KEY (uid) REFERENCES public.library_entries(uid) ON DELETE CASCADE;
