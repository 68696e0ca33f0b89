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
    created_at character varying(32) NOT NULL,
    is_closed boolean NOT NULL,
    instructions text DEFAULT ''::text NOT NULL,
    controls json DEFAULT '[]'::json NOT NULL,
    definitions integer DEFAULT 1 NOT NULL
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
    visitor character varying(200) NOT NULL
);
CREATE TABLE public.links (
    id integer NOT NULL,
    campaign_id integer NOT NULL,
    annotator character varying(200),
    token character varying(32) NOT NULL
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
    origin text DEFAULT ''::text NOT NULL,
    suggested character varying(16) DEFAULT ''::character varying NOT NULL,
    is_rejected boolean DEFAULT false NOT NULL
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
    digest character varying(32) NOT NULL
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
    preference character varying(16),
    comment text NOT NULL,
    is_complete boolean NOT NULL,
    updated_at character varying(32) NOT NULL,
    score double precision,
    control integer
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
INSERT INTO public.alembic_version VALUES ('0004');
INSERT INTO public.campaigns VALUES (1, '00000000000000000000000000000000', 'reading', 'rating', 'test', 'dddddddddddddddddddddddddddddddd', '40c245e1ffc2a6946364f9548fa176c9', '0a32c4f8768e1668d45e901bbc0a9461', '235fcc423d0d6022eb018580f035c109', '{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": ""}', '[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]', '2026-01-01T00:00:00.000+00:00', false, '', '[]', 1);
INSERT INTO public.campaigns VALUES (2, '00000000000000000000000000000001', 'reading', 'preference', 'test', 'dddddddddddddddddddddddddddddddd', '40c245e1ffc2a6946364f9548fa176c9', '0a32c4f8768e1668d45e901bbc0a9461', '235fcc423d0d6022eb018580f035c109', '{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": ""}', '[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]', '2026-01-01T00:00:00.000+00:00', false, '', '[]', 1);
INSERT INTO public.campaigns VALUES (3, '00000000000000000000000000000002', 'reading', 'errors', 'test', 'dddddddddddddddddddddddddddddddd', '40c245e1ffc2a6946364f9548fa176c9', '0a32c4f8768e1668d45e901bbc0a9461', '235fcc423d0d6022eb018580f035c109', '{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": ""}', '[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]', '2026-01-01T00:00:00.000+00:00', false, '', '[]', 1);
INSERT INTO public.campaigns VALUES (4, '00000000000000000000000000000003', 'reading', 'esa', 'test', 'dddddddddddddddddddddddddddddddd', '40c245e1ffc2a6946364f9548fa176c9', '0a32c4f8768e1668d45e901bbc0a9461', '235fcc423d0d6022eb018580f035c109', '{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": ""}', '[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]', '2026-01-01T00:00:00.000+00:00', false, 'Mark what is wrong.', '[{"kind": "training", "source": "Quelle", "hypothesis": "a wrong word", "start": 2, "end": 7, "severity": "major", "low": 10.0, "high": 60.5, "explanation": "Why it is wrong.", "intact": "", "category": ""}]', 1);
INSERT INTO public.contents VALUES ('40c245e1ffc2a6946364f9548fa176c9', '[["reference 0"], ["reference 1", "a\u0000b \ud800 <script>alert(1)</script> **x** $y$ :smile: \u2028 \u202e ''q'' \"r\"; DROP TABLE tasks; \ud83d\ude42"], ["reference 2"], ["reference 3", "a\u0000b \ud800 <script>alert(1)</script> **x** $y$ :smile: \u2028 \u202e ''q'' \"r\"; DROP TABLE tasks; \ud83d\ude42"], ["reference 4"], ["reference 5", "a\u0000b \ud800 <script>alert(1)</script> **x** $y$ :smile: \u2028 \u202e ''q'' \"r\"; DROP TABLE tasks; \ud83d\ude42"]]');
INSERT INTO public.contents VALUES ('0a32c4f8768e1668d45e901bbc0a9461', '["Quelle 0", "Quelle 1", "Quelle 2", "Quelle 3", "Quelle 4", "Quelle 5"]');
INSERT INTO public.contents VALUES ('235fcc423d0d6022eb018580f035c109', '["a", "a", "a", "b", "b", "b"]');
INSERT INTO public.contents VALUES ('05116fdf2b868e3a3da57450ee14a433', '["output 0 of 0", "output 0 of 1", "output 0 of 2", "output 0 of 3", "output 0 of 4", "output 0 of 5"]');
INSERT INTO public.contents VALUES ('1f3ee0f3d8192c643856739702687b95', '["output 1 of 0", "output 1 of 1", "output 1 of 2", "output 1 of 3", "output 1 of 4", "output 1 of 5"]');
INSERT INTO public.links VALUES (1, 1, NULL, 'VinkL3SNwIs3PF_Sy0By6A');
INSERT INTO public.links VALUES (2, 1, 'ann', 'K0M-P0YUkXbmnCj7rF6aLA');
INSERT INTO public.links VALUES (3, 1, 'bob', 'YvCxxTcbKPhliSwnk4xBMw');
INSERT INTO public.links VALUES (4, 2, NULL, 'yfIENwiz5qGRJYJPNuL65w');
INSERT INTO public.links VALUES (5, 2, 'ann', 'uFIWq0NMh-ShOKM4xlHgCA');
INSERT INTO public.links VALUES (6, 2, 'bob', '9qHJF5UkTMMHjtxX4jSg4A');
INSERT INTO public.links VALUES (7, 3, NULL, 'MPirzRqZMfZCGis3nMcoJQ');
INSERT INTO public.links VALUES (8, 3, 'ann', 'sYuqSVr5YhOTyGcg5Dcr-g');
INSERT INTO public.links VALUES (9, 3, 'bob', 'KCy9Peb0G7BwZ567LEWpRw');
INSERT INTO public.links VALUES (10, 4, NULL, 'u8aRps87ebposODPu5_twQ');
INSERT INTO public.links VALUES (11, 4, 'ann', '2uWbc1ielQ9pbsP7Yn1S4g');
INSERT INTO public.marks VALUES (1, 37, 'hypothesis', 0, 6, 'Other', 'major', 'a remark', NULL, '', '', false);
INSERT INTO public.marks VALUES (2, 73, 'hypothesis', 0, 6, 'Other', 'major', 'a remark', 2.5, 'xCOMET', 'minor', false);
INSERT INTO public.marks VALUES (3, 73, 'hypothesis', 0, 6, 'Other', 'major', 'a remark', 2.5, 'xCOMET', 'minor', true);
INSERT INTO public.outputs VALUES (1, 0, 'system 0', '0', '05116fdf2b868e3a3da57450ee14a433');
INSERT INTO public.outputs VALUES (1, 1, 'system 1', '0', '1f3ee0f3d8192c643856739702687b95');
INSERT INTO public.outputs VALUES (2, 0, 'system 0', '0', '05116fdf2b868e3a3da57450ee14a433');
INSERT INTO public.outputs VALUES (2, 1, 'system 1', '0', '1f3ee0f3d8192c643856739702687b95');
INSERT INTO public.outputs VALUES (3, 0, 'system 0', '0', '05116fdf2b868e3a3da57450ee14a433');
INSERT INTO public.outputs VALUES (3, 1, 'system 1', '0', '1f3ee0f3d8192c643856739702687b95');
INSERT INTO public.outputs VALUES (4, 0, 'system 0', '0', '05116fdf2b868e3a3da57450ee14a433');
INSERT INTO public.outputs VALUES (4, 1, 'system 1', '0', '1f3ee0f3d8192c643856739702687b95');
INSERT INTO public.tasks VALUES (2, 1, 'ann', 1, 0, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (3, 1, 'ann', 2, 3, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (4, 1, 'ann', 3, 4, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (5, 1, 'ann', 4, 3, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (6, 1, 'ann', 5, 2, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (7, 1, 'ann', 6, 1, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (8, 1, 'ann', 7, 1, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (9, 1, 'ann', 8, 4, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (10, 1, 'ann', 9, 2, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (11, 1, 'ann', 10, 0, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (12, 1, 'ann', 11, 5, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (13, 1, 'bob', 0, 0, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (14, 1, 'bob', 1, 5, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (15, 1, 'bob', 2, 2, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (16, 1, 'bob', 3, 3, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (17, 1, 'bob', 4, 0, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (18, 1, 'bob', 5, 5, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (19, 1, 'bob', 6, 1, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (20, 1, 'bob', 7, 2, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (21, 1, 'bob', 8, 4, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (22, 1, 'bob', 9, 1, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (23, 1, 'bob', 10, 4, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (24, 1, 'bob', 11, 3, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (1, 1, 'ann', 0, 5, 'random', 1, false, 61.5, 0, NULL, 'a comment', true, '2026-11-23T15:24:33.225+00:00', NULL, NULL);
INSERT INTO public.tasks VALUES (26, 2, 'ann', 1, 5, 'random', NULL, true, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (27, 2, 'ann', 2, 1, 'random', NULL, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (28, 2, 'ann', 3, 2, 'random', NULL, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (29, 2, 'ann', 4, 4, 'random', NULL, true, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (30, 2, 'ann', 5, 3, 'random', NULL, true, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (31, 2, 'bob', 0, 0, 'random', NULL, true, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (32, 2, 'bob', 1, 1, 'random', NULL, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (33, 2, 'bob', 2, 4, 'random', NULL, true, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (34, 2, 'bob', 3, 5, 'random', NULL, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (35, 2, 'bob', 4, 3, 'random', NULL, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (36, 2, 'bob', 5, 2, 'random', NULL, true, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (25, 2, 'ann', 0, 0, 'random', NULL, true, NULL, NULL, 'second', 'a comment', true, '2026-11-23T15:24:33.240+00:00', NULL, NULL);
INSERT INTO public.tasks VALUES (38, 3, 'ann', 1, 0, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (39, 3, 'ann', 2, 3, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (40, 3, 'ann', 3, 4, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (41, 3, 'ann', 4, 3, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (42, 3, 'ann', 5, 2, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (43, 3, 'ann', 6, 1, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (44, 3, 'ann', 7, 1, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (45, 3, 'ann', 8, 4, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (46, 3, 'ann', 9, 2, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (47, 3, 'ann', 10, 0, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (48, 3, 'ann', 11, 5, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (49, 3, 'bob', 0, 0, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (50, 3, 'bob', 1, 5, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (51, 3, 'bob', 2, 2, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (52, 3, 'bob', 3, 3, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (53, 3, 'bob', 4, 0, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (54, 3, 'bob', 5, 5, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (55, 3, 'bob', 6, 1, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (56, 3, 'bob', 7, 2, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (57, 3, 'bob', 8, 4, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (58, 3, 'bob', 9, 1, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (59, 3, 'bob', 10, 4, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (60, 3, 'bob', 11, 3, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (37, 3, 'ann', 0, 5, 'random', 1, false, NULL, NULL, NULL, 'a comment', false, '2026-11-23T15:24:33.258+00:00', NULL, NULL);
INSERT INTO public.tasks VALUES (61, 4, 'ann', 0, 0, 'training', 1, false, NULL, NULL, NULL, '', false, '', NULL, 0);
INSERT INTO public.tasks VALUES (62, 4, 'ann', 1, 5, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (63, 4, 'ann', 2, 0, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (64, 4, 'ann', 3, 3, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (65, 4, 'ann', 4, 4, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (66, 4, 'ann', 5, 3, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (67, 4, 'ann', 6, 2, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (68, 4, 'ann', 7, 1, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (69, 4, 'ann', 8, 1, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (70, 4, 'ann', 9, 4, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (71, 4, 'ann', 10, 2, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (72, 4, 'ann', 11, 0, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL);
INSERT INTO public.tasks VALUES (73, 4, 'ann', 12, 5, 'random', 0, false, NULL, NULL, NULL, '', true, '2026-11-23T15:24:33.272+00:00', 61.5, NULL);
SELECT pg_catalog.setval('public.campaigns_id_seq', 4, true);
SELECT pg_catalog.setval('public.links_id_seq', 11, true);
SELECT pg_catalog.setval('public.marks_id_seq', 3, true);
SELECT pg_catalog.setval('public.tasks_id_seq', 73, true);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.campaigns
    ADD CONSTRAINT pk_campaigns PRIMARY KEY (id);
ALTER TABLE ONLY public.contents
    ADD CONSTRAINT pk_contents PRIMARY KEY (digest);
ALTER TABLE ONLY public.coordinators
    ADD CONSTRAINT pk_coordinators PRIMARY KEY (campaign_id, visitor);
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
