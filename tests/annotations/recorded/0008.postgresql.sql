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
CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.campaigns (
    id integer NOT NULL,
    uid character varying(32) NOT NULL,
    name text NOT NULL,
    way character varying(16) NOT NULL,
    test_set text NOT NULL,
    test_set_digest character varying(32) NOT NULL,
    reference_texts character varying(32) NOT NULL,
    source character varying(32),
    documents character varying(32),
    plan json NOT NULL,
    typology json NOT NULL,
    instructions text NOT NULL,
    controls json NOT NULL,
    created_at character varying(32) NOT NULL,
    is_closed boolean NOT NULL,
    definitions integer NOT NULL,
    seal character varying(32) NOT NULL
);
CREATE SEQUENCE public.campaigns_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.campaigns_id_seq OWNED BY public.campaigns.id;
CREATE TABLE public.contents (
    digest character varying(32) NOT NULL,
    texts json NOT NULL
);
CREATE TABLE public.coordinators (
    campaign_id integer NOT NULL,
    visitor character varying(200) NOT NULL,
    seal character varying(32) NOT NULL
);
CREATE TABLE public.ended (
    sign_in character varying(32) NOT NULL,
    at double precision NOT NULL
);
CREATE TABLE public.links (
    id integer NOT NULL,
    campaign_id integer NOT NULL,
    annotator character varying(200),
    token character varying(32) NOT NULL,
    expires double precision,
    seal character varying(32) NOT NULL
);
CREATE SEQUENCE public.links_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.links_id_seq OWNED BY public.links.id;
CREATE TABLE public.marks (
    id integer NOT NULL,
    task_id integer NOT NULL,
    side character varying(16) NOT NULL,
    span_start integer NOT NULL,
    span_end integer NOT NULL,
    category text NOT NULL,
    severity character varying(16) NOT NULL,
    comment text NOT NULL,
    weight double precision,
    origin text NOT NULL,
    suggested character varying(16) NOT NULL,
    is_rejected boolean NOT NULL,
    seal character varying(32) NOT NULL
);
CREATE SEQUENCE public.marks_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.marks_id_seq OWNED BY public.marks.id;
CREATE TABLE public.outputs (
    campaign_id integer NOT NULL,
    "position" integer NOT NULL,
    system text NOT NULL,
    run text NOT NULL,
    digest character varying(32) NOT NULL,
    seal character varying(32) NOT NULL
);
CREATE TABLE public.tasks (
    id integer NOT NULL,
    campaign_id integer NOT NULL,
    annotator character varying(200) NOT NULL,
    "position" integer NOT NULL,
    segment integer NOT NULL,
    stratum character varying(16) NOT NULL,
    output integer,
    is_swapped boolean NOT NULL,
    adequacy double precision,
    fluency double precision,
    score double precision,
    preference character varying(16),
    control integer,
    comment text NOT NULL,
    is_complete boolean NOT NULL,
    updated_at character varying(32) NOT NULL,
    revision integer NOT NULL,
    delivery character varying(64) NOT NULL,
    seconds double precision,
    paused double precision,
    probability double precision,
    is_automatic boolean NOT NULL,
    seal character varying(32) NOT NULL
);
CREATE SEQUENCE public.tasks_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.tasks_id_seq OWNED BY public.tasks.id;
ALTER TABLE ONLY public.campaigns ALTER COLUMN id SET DEFAULT nextval('public.campaigns_id_seq'::regclass);
ALTER TABLE ONLY public.links ALTER COLUMN id SET DEFAULT nextval('public.links_id_seq'::regclass);
ALTER TABLE ONLY public.marks ALTER COLUMN id SET DEFAULT nextval('public.marks_id_seq'::regclass);
ALTER TABLE ONLY public.tasks ALTER COLUMN id SET DEFAULT nextval('public.tasks_id_seq'::regclass);
INSERT INTO public.alembic_version VALUES ('0008');
INSERT INTO public.campaigns VALUES (1, '00000000000000000000000000000000', 'reading', 'rating', 'test', 'dddddddddddddddddddddddddddddddd', 'fe5744a14aa3b0bbc960b7393c012cff', 'a96fea9d9b42af8327bfebf3f8afb168', '0a8540706fdcc9196a1de29611e08a0c', '{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": "", "probabilities": [], "side_by_side": 0, "is_adaptive": false, "is_merged": false}', '[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]', '', '[]', '2026-01-01T00:00:00.000+00:00', false, 1, '0e40353253f07f11afcc30fb8c8abef4');
INSERT INTO public.campaigns VALUES (2, '00000000000000000000000000000001', 'reading', 'preference', 'test', 'dddddddddddddddddddddddddddddddd', 'fe5744a14aa3b0bbc960b7393c012cff', 'a96fea9d9b42af8327bfebf3f8afb168', '0a8540706fdcc9196a1de29611e08a0c', '{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": "", "probabilities": [], "side_by_side": 0, "is_adaptive": false, "is_merged": false}', '[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]', '', '[]', '2026-01-01T00:00:00.000+00:00', false, 1, '122b606fbe7e303eb4264fe4fe56157e');
INSERT INTO public.campaigns VALUES (3, '00000000000000000000000000000002', 'reading', 'errors', 'test', 'dddddddddddddddddddddddddddddddd', 'fe5744a14aa3b0bbc960b7393c012cff', 'a96fea9d9b42af8327bfebf3f8afb168', '0a8540706fdcc9196a1de29611e08a0c', '{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": "", "probabilities": [], "side_by_side": 0, "is_adaptive": false, "is_merged": false}', '[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]', '', '[]', '2026-01-01T00:00:00.000+00:00', false, 1, '0699fc89c42e94f50098ec951d7dc62e');
INSERT INTO public.campaigns VALUES (4, '00000000000000000000000000000003', 'reading', 'esa', 'test', 'dddddddddddddddddddddddddddddddd', 'fe5744a14aa3b0bbc960b7393c012cff', 'a96fea9d9b42af8327bfebf3f8afb168', '0a8540706fdcc9196a1de29611e08a0c', '{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": "", "probabilities": [], "side_by_side": 0, "is_adaptive": false, "is_merged": false}', '[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]', 'Mark what is wrong.', '[{"kind": "training", "source": "Quelle", "hypothesis": "a wrong word", "start": 2, "end": 7, "severity": "major", "low": 10.0, "high": 60.5, "explanation": "Why it is wrong.", "intact": "", "category": ""}]', '2026-01-01T00:00:00.000+00:00', false, 1, '50793b1a7f753da0cb481ac070ac9274');
INSERT INTO public.contents VALUES ('fe5744a14aa3b0bbc960b7393c012cff', '[["reference 0"], ["reference 1", "a\u0000b \ud800 <script>alert(1)</script> **x** $y$ :smile: \u2028 \u202e ''q'' \"r\"; DROP TABLE tasks; \ud83d\ude42"], ["reference 2"], ["reference 3", "a\u0000b \ud800 <script>alert(1)</script> **x** $y$ :smile: \u2028 \u202e ''q'' \"r\"; DROP TABLE tasks; \ud83d\ude42"], ["reference 4"], ["reference 5", "a\u0000b \ud800 <script>alert(1)</script> **x** $y$ :smile: \u2028 \u202e ''q'' \"r\"; DROP TABLE tasks; \ud83d\ude42"]]');
INSERT INTO public.contents VALUES ('a96fea9d9b42af8327bfebf3f8afb168', '["Quelle 0", "Quelle 1", "Quelle 2", "Quelle 3", "Quelle 4", "Quelle 5"]');
INSERT INTO public.contents VALUES ('0a8540706fdcc9196a1de29611e08a0c', '["a", "a", "a", "b", "b", "b"]');
INSERT INTO public.contents VALUES ('05116fdf2b868e3a3da57450ee14a433', '["output 0 of 0", "output 0 of 1", "output 0 of 2", "output 0 of 3", "output 0 of 4", "output 0 of 5"]');
INSERT INTO public.contents VALUES ('1f3ee0f3d8192c643856739702687b95', '["output 1 of 0", "output 1 of 1", "output 1 of 2", "output 1 of 3", "output 1 of 4", "output 1 of 5"]');
INSERT INTO public.links VALUES (1, 1, NULL, 'bWGuWueBSZX4Kk3Pl5kHSg', NULL, '007673db459a2ee18549bc0b7a157972');
INSERT INTO public.links VALUES (2, 1, 'ann', 'P5FpB67BWJLKhUAoLzRbpw', NULL, '6b1eb6189d9acaa10c4ed5a346c66c65');
INSERT INTO public.links VALUES (3, 1, 'bob', 'a83ar28f4-AryR26J8z9_g', NULL, '52f4ffe81e8467937609851e352333cd');
INSERT INTO public.links VALUES (4, 2, NULL, 'j9QeCEuT94hLuvAkISF1XA', NULL, '561209f9d1e26bc4808a569650c420ee');
INSERT INTO public.links VALUES (5, 2, 'ann', '2u7wOAy12gw0Ia7S4M8ICg', NULL, 'bef4ad40c6a35b5f942a38847b5047de');
INSERT INTO public.links VALUES (6, 2, 'bob', 'OUlgO5_Zh4uwquwnymkaoA', NULL, 'bcc708550ced5818e280b84a3223987f');
INSERT INTO public.links VALUES (7, 3, NULL, 'KZujzT-XJ0v3ao8tqMUHJw', NULL, '017187d30c714a14d1957aea89a5fc38');
INSERT INTO public.links VALUES (8, 3, 'ann', 'W2krOhoFwW7sRxGtLIlyiw', NULL, 'eac0a373acbcebe0e53b9eeae3ff3aaa');
INSERT INTO public.links VALUES (9, 3, 'bob', 'VA_niE4MRPR1uoqvL1guUQ', NULL, 'be35e20dca0f468c1dfb1754e07e848b');
INSERT INTO public.links VALUES (10, 4, NULL, '3UTfcjGRKcjpKDmjf4uCFg', NULL, 'fe48d9099b30033d6924918a18f62c4b');
INSERT INTO public.links VALUES (11, 4, 'ann', 'cbalEFiehd8FAaamgk6BmA', NULL, 'de74ed69be5cca00c99a88c078423e55');
INSERT INTO public.marks VALUES (1, 37, 'hypothesis', 0, 6, 'Other', 'major', 'a remark', NULL, '', '', false, '4bace44955e2ddf42d8d1633aaeb88e1');
INSERT INTO public.marks VALUES (2, 73, 'hypothesis', 0, 6, 'Other', 'major', 'a remark', 2.5, 'xCOMET', 'minor', false, '9e442b356b0656ba479c8ec8c43a1934');
INSERT INTO public.marks VALUES (3, 73, 'hypothesis', 0, 6, 'Other', 'major', 'a remark', 2.5, 'xCOMET', 'minor', true, '9a261146fb803602361cd11c07e2d2b7');
INSERT INTO public.outputs VALUES (1, 0, 'system 0', '0', '05116fdf2b868e3a3da57450ee14a433', '0c495d0df3ed6bd459bbecc36c97ad28');
INSERT INTO public.outputs VALUES (1, 1, 'system 1', '0', '1f3ee0f3d8192c643856739702687b95', 'bacdd9db876ba1ba43f6ffb143421e0f');
INSERT INTO public.outputs VALUES (2, 0, 'system 0', '0', '05116fdf2b868e3a3da57450ee14a433', 'a1e9d752546ad2ec319d0b1279d5bd8a');
INSERT INTO public.outputs VALUES (2, 1, 'system 1', '0', '1f3ee0f3d8192c643856739702687b95', '43bac3950ba4f1a01450b3d25835b33c');
INSERT INTO public.outputs VALUES (3, 0, 'system 0', '0', '05116fdf2b868e3a3da57450ee14a433', '0afa4b069c8eca514f198803075b59f3');
INSERT INTO public.outputs VALUES (3, 1, 'system 1', '0', '1f3ee0f3d8192c643856739702687b95', '2dac99c1c064330879f21003672b3dcc');
INSERT INTO public.outputs VALUES (4, 0, 'system 0', '0', '05116fdf2b868e3a3da57450ee14a433', 'c4804bfed0f52ad4bb2ac93dbe79b659');
INSERT INTO public.outputs VALUES (4, 1, 'system 1', '0', '1f3ee0f3d8192c643856739702687b95', 'd9add2844fe8ce100e72a9e38171c4fc');
INSERT INTO public.tasks VALUES (2, 1, 'ann', 1, 0, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '5c1964792727a50d29c3206830eb66be');
INSERT INTO public.tasks VALUES (3, 1, 'ann', 2, 3, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '736808e7cabe7107b6ba932eeac04b82');
INSERT INTO public.tasks VALUES (4, 1, 'ann', 3, 4, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '6b5c46edca9a200f051147dc823d7c67');
INSERT INTO public.tasks VALUES (5, 1, 'ann', 4, 3, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '31d571de9181de090d271781b9ced8f7');
INSERT INTO public.tasks VALUES (6, 1, 'ann', 5, 2, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '911909336519507d7286c7fd9c26f3b4');
INSERT INTO public.tasks VALUES (7, 1, 'ann', 6, 1, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '5a4075786d035ca3f8896cce3669a0ab');
INSERT INTO public.tasks VALUES (8, 1, 'ann', 7, 1, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, 'b8e71068e3f81ef9814eca47b8d34740');
INSERT INTO public.tasks VALUES (9, 1, 'ann', 8, 4, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, 'ad7bc716baa3496622bfee6a8d443800');
INSERT INTO public.tasks VALUES (10, 1, 'ann', 9, 2, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '6fb131db335bdd78bca09aaa621dc260');
INSERT INTO public.tasks VALUES (11, 1, 'ann', 10, 0, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '40c376af2ceb8dbc9ffca2699ee18b12');
INSERT INTO public.tasks VALUES (12, 1, 'ann', 11, 5, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '56d64ea1d4b438c7a5bb2296f80f8f79');
INSERT INTO public.tasks VALUES (13, 1, 'bob', 0, 0, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, 'a6ac9dd4d27eb431660bc9d84a6ad7e9');
INSERT INTO public.tasks VALUES (14, 1, 'bob', 1, 5, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, 'e682f6e4f7351d21f17d28cc59976281');
INSERT INTO public.tasks VALUES (15, 1, 'bob', 2, 2, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '1c5af894f40bbef5cd0bd7fb11b8fab7');
INSERT INTO public.tasks VALUES (16, 1, 'bob', 3, 3, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '9b7badc82252b085209ef4b061626059');
INSERT INTO public.tasks VALUES (17, 1, 'bob', 4, 0, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '3e7f28816a3a32fa371331d52631c308');
INSERT INTO public.tasks VALUES (18, 1, 'bob', 5, 5, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '8d680a45dc8427e65993725e9cb70f4e');
INSERT INTO public.tasks VALUES (19, 1, 'bob', 6, 1, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '156bb6347e913fa99e5082072af56e91');
INSERT INTO public.tasks VALUES (20, 1, 'bob', 7, 2, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '94f9d6daffc8e8b9c082a5d51b8bfaea');
INSERT INTO public.tasks VALUES (21, 1, 'bob', 8, 4, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, 'a8b68ee3ba2f30af120b28a2067925c5');
INSERT INTO public.tasks VALUES (22, 1, 'bob', 9, 1, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '64899b3b4ca6d1b48e52c154407f96a1');
INSERT INTO public.tasks VALUES (23, 1, 'bob', 10, 4, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '63399d3d85cce17d464d4f23408bcb6c');
INSERT INTO public.tasks VALUES (24, 1, 'bob', 11, 3, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '37aa60bd582f53a41d6886e711c95c2d');
INSERT INTO public.tasks VALUES (1, 1, 'ann', 0, 5, 'random', 1, false, 61.5, 0, NULL, NULL, NULL, 'a comment', true, '2026-11-29T20:45:57.573+00:00', 2, 'da467e6114004c4e95a7dc485fea9ad6 1', NULL, NULL, NULL, false, '2a4044be24e817e4a9c1da2dcddf0229');
INSERT INTO public.tasks VALUES (26, 2, 'ann', 1, 5, 'random', NULL, true, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, 'f11fbe764464b0f912c2436534f07520');
INSERT INTO public.tasks VALUES (27, 2, 'ann', 2, 1, 'random', NULL, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '42943b1276df909a0b522a1193d9515a');
INSERT INTO public.tasks VALUES (28, 2, 'ann', 3, 2, 'random', NULL, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '11f4ee74a481b1158bcd66616bf420c0');
INSERT INTO public.tasks VALUES (29, 2, 'ann', 4, 4, 'random', NULL, true, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, 'c7224bb0a26489bd1abb808505e0c5e3');
INSERT INTO public.tasks VALUES (30, 2, 'ann', 5, 3, 'random', NULL, true, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '9dd92934def61262fda44c2e9c1db771');
INSERT INTO public.tasks VALUES (31, 2, 'bob', 0, 0, 'random', NULL, true, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, 'a1ce2d5e5aa9dfde99820e55b7a79afc');
INSERT INTO public.tasks VALUES (32, 2, 'bob', 1, 1, 'random', NULL, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, 'f6167418ff4baee9522f7d19a0dc8f72');
INSERT INTO public.tasks VALUES (33, 2, 'bob', 2, 4, 'random', NULL, true, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '76e8c1788d51e846b3056b3707fea281');
INSERT INTO public.tasks VALUES (34, 2, 'bob', 3, 5, 'random', NULL, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '0f556fddc68813eee542692446799ec6');
INSERT INTO public.tasks VALUES (35, 2, 'bob', 4, 3, 'random', NULL, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, 'a3ca612ae0f717021540cfec786410d9');
INSERT INTO public.tasks VALUES (36, 2, 'bob', 5, 2, 'random', NULL, true, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, 'e4d904f2f2c1f76ff177750a1bd8ca18');
INSERT INTO public.tasks VALUES (37, 3, 'ann', 0, 5, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, 'a comment', false, '2026-11-29T20:45:59.381+00:00', 2, '508f0a4947b340479aee01028b7d3346 1', NULL, NULL, NULL, false, '7f1eba2e1cd8f5c21368e5fcaa8f514b');
INSERT INTO public.tasks VALUES (25, 2, 'ann', 0, 0, 'random', NULL, true, NULL, NULL, NULL, 'second', NULL, 'a comment', true, '2026-11-29T20:45:58.549+00:00', 2, 'fcb56e1a58c54755b16bc418f19ed854 1', NULL, NULL, NULL, false, '45c6bc091b83dde6959c00decbfcf820');
INSERT INTO public.tasks VALUES (38, 3, 'ann', 1, 0, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '4e7de912449c5db56247846d04e949df');
INSERT INTO public.tasks VALUES (39, 3, 'ann', 2, 3, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '05aba1455b9caffc557eb3a6df18788e');
INSERT INTO public.tasks VALUES (40, 3, 'ann', 3, 4, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, 'ef6e775c94f3f4a539da47cfbca4d148');
INSERT INTO public.tasks VALUES (41, 3, 'ann', 4, 3, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '503ca2b463d37ba0008ae8caa8258a1a');
INSERT INTO public.tasks VALUES (42, 3, 'ann', 5, 2, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '4655c07854d3aa12a5d61d50f60d53ae');
INSERT INTO public.tasks VALUES (43, 3, 'ann', 6, 1, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '29802b8edfce2dbe350d6e3d96b0e379');
INSERT INTO public.tasks VALUES (44, 3, 'ann', 7, 1, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '7f917c7511a7efb8447bc70097f8edd1');
INSERT INTO public.tasks VALUES (45, 3, 'ann', 8, 4, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '9042916936ed67a0ddf74c27eaa7f8a7');
INSERT INTO public.tasks VALUES (46, 3, 'ann', 9, 2, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, 'b1057522ea7989e217c0c7af8608fc45');
INSERT INTO public.tasks VALUES (47, 3, 'ann', 10, 0, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, 'fcf0bd01e37b0411e5962b41f8441655');
INSERT INTO public.tasks VALUES (48, 3, 'ann', 11, 5, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, 'c5afc1b3892f4173b4569025a269f6c9');
INSERT INTO public.tasks VALUES (49, 3, 'bob', 0, 0, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, 'a3c2db3b99ad75c5150f1bcf5e2245d5');
INSERT INTO public.tasks VALUES (50, 3, 'bob', 1, 5, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '9a4d9eb46bee702acbcc9601788b21fa');
INSERT INTO public.tasks VALUES (51, 3, 'bob', 2, 2, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, 'c9b74333875addc8e43d76b54c94e67b');
INSERT INTO public.tasks VALUES (52, 3, 'bob', 3, 3, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '667b7d17e0b8c507061aee79b8c5e670');
INSERT INTO public.tasks VALUES (53, 3, 'bob', 4, 0, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '5e7f661207213aeae3412e26abb05e6c');
INSERT INTO public.tasks VALUES (54, 3, 'bob', 5, 5, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, 'f0cdf867766266074cf563c41a5fc204');
INSERT INTO public.tasks VALUES (55, 3, 'bob', 6, 1, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '2fd291d1ac5032d34ba0efab0a95ddf9');
INSERT INTO public.tasks VALUES (56, 3, 'bob', 7, 2, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '5da6709b95acba8e16448cbf93bca10d');
INSERT INTO public.tasks VALUES (57, 3, 'bob', 8, 4, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '719e24dbbf3106058792ee55da03ff39');
INSERT INTO public.tasks VALUES (58, 3, 'bob', 9, 1, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '22558be412deffb22524b429450e2275');
INSERT INTO public.tasks VALUES (59, 3, 'bob', 10, 4, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, 'cdc0d013e0723b3fb7b99dbbc6586c4e');
INSERT INTO public.tasks VALUES (60, 3, 'bob', 11, 3, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '3686d0a063ad8932cf169623b278a58c');
INSERT INTO public.tasks VALUES (61, 4, 'ann', 0, 0, 'training', 1, false, NULL, NULL, NULL, NULL, 0, '', false, '', 0, '', NULL, NULL, NULL, false, 'cb6bee0976df7b0e1ee91c94f49e9564');
INSERT INTO public.tasks VALUES (62, 4, 'ann', 1, 5, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '60ac8212e7326a2286f950d3c1e09635');
INSERT INTO public.tasks VALUES (63, 4, 'ann', 2, 0, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '3a9e072cf168521a53e932161f296caf');
INSERT INTO public.tasks VALUES (64, 4, 'ann', 3, 3, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '126b0559ecdc36ad60182192150ad879');
INSERT INTO public.tasks VALUES (65, 4, 'ann', 4, 4, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, 'e5c50d6d85dd97ba9ae63580897ff9ea');
INSERT INTO public.tasks VALUES (66, 4, 'ann', 5, 3, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, 'fc014ba763662fb503c4ee8131fb77af');
INSERT INTO public.tasks VALUES (67, 4, 'ann', 6, 2, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '4f9fe4f31a6be2f204b9d3f5b27b974a');
INSERT INTO public.tasks VALUES (68, 4, 'ann', 7, 1, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '273dd9eacdad94aaf132504f1914e65f');
INSERT INTO public.tasks VALUES (69, 4, 'ann', 8, 1, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '547981f5020fa33786fab16918813d63');
INSERT INTO public.tasks VALUES (70, 4, 'ann', 9, 4, 'random', 0, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, 'a479b3f91595f37ef1c89ca3b21cfe55');
INSERT INTO public.tasks VALUES (71, 4, 'ann', 10, 2, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, '24242da994f14ba86e7651d1195c930f');
INSERT INTO public.tasks VALUES (72, 4, 'ann', 11, 0, 'random', 1, false, NULL, NULL, NULL, NULL, NULL, '', false, '', 0, '', NULL, NULL, NULL, false, 'c961e3a522473d99debb2d24c59af7ee');
INSERT INTO public.tasks VALUES (73, 4, 'ann', 12, 5, 'random', 0, false, NULL, NULL, 61.5, NULL, NULL, '', true, '2026-11-29T20:45:59.793+00:00', 1, '29800b7989df46789c83245d483be23a 1', NULL, NULL, NULL, false, '12da25f1b893760cef0ecb6e7e36db9e');
SELECT pg_catalog.setval('public.campaigns_id_seq', 4, true);
SELECT pg_catalog.setval('public.links_id_seq', 11, true);
SELECT pg_catalog.setval('public.marks_id_seq', 3, true);
SELECT pg_catalog.setval('public.tasks_id_seq', 73, true);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT pk_alembic_version PRIMARY KEY (version_num);
ALTER TABLE ONLY public.campaigns
    ADD CONSTRAINT pk_campaigns PRIMARY KEY (id);
ALTER TABLE ONLY public.contents
    ADD CONSTRAINT pk_contents PRIMARY KEY (digest);
ALTER TABLE ONLY public.coordinators
    ADD CONSTRAINT pk_coordinators PRIMARY KEY (campaign_id, visitor);
ALTER TABLE ONLY public.ended
    ADD CONSTRAINT pk_ended PRIMARY KEY (sign_in);
ALTER TABLE ONLY public.links
    ADD CONSTRAINT pk_links PRIMARY KEY (id);
ALTER TABLE ONLY public.marks
    ADD CONSTRAINT pk_marks PRIMARY KEY (id);
ALTER TABLE ONLY public.outputs
    ADD CONSTRAINT pk_outputs PRIMARY KEY (campaign_id, "position");
ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT pk_tasks PRIMARY KEY (id);
ALTER TABLE ONLY public.campaigns
    ADD CONSTRAINT uq_campaigns_uid UNIQUE (uid);
ALTER TABLE ONLY public.links
    ADD CONSTRAINT uq_links_token UNIQUE (token);
ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT uq_tasks_campaign_id_annotator_position UNIQUE (campaign_id, annotator, "position");
CREATE INDEX ix_coordinators_visitor ON public.coordinators USING btree (visitor);
CREATE INDEX ix_links_campaign_id ON public.links USING btree (campaign_id);
CREATE INDEX ix_marks_task_id ON public.marks USING btree (task_id);
CREATE INDEX ix_outputs_digest ON public.outputs USING btree (digest);
ALTER TABLE ONLY public.campaigns
    ADD CONSTRAINT fk_campaigns_documents_contents FOREIGN KEY (documents) REFERENCES public.contents(digest);
ALTER TABLE ONLY public.campaigns
    ADD CONSTRAINT fk_campaigns_reference_texts_contents FOREIGN KEY (reference_texts) REFERENCES public.contents(digest);
ALTER TABLE ONLY public.campaigns
    ADD CONSTRAINT fk_campaigns_source_contents FOREIGN KEY (source) REFERENCES public.contents(digest);
ALTER TABLE ONLY public.coordinators
    ADD CONSTRAINT fk_coordinators_campaign_id_campaigns FOREIGN KEY (campaign_id) REFERENCES public.campaigns(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.links
    ADD CONSTRAINT fk_links_campaign_id_campaigns FOREIGN KEY (campaign_id) REFERENCES public.campaigns(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.marks
    ADD CONSTRAINT fk_marks_task_id_tasks FOREIGN KEY (task_id) REFERENCES public.tasks(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.outputs
    ADD CONSTRAINT fk_outputs_campaign_id_campaigns FOREIGN KEY (campaign_id) REFERENCES public.campaigns(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.outputs
    ADD CONSTRAINT fk_outputs_digest_contents FOREIGN KEY (digest) REFERENCES public.contents(digest);
ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT fk_tasks_campaign_id_campaigns FOREIGN KEY (campaign_id) REFERENCES public.campaigns(id) ON DELETE CASCADE;
