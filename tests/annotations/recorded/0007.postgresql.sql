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
    definitions integer DEFAULT 1 NOT NULL,
    seal character varying(32) DEFAULT ''::character varying NOT NULL
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
    seal character varying(32) DEFAULT ''::character varying NOT NULL
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
    seal character varying(32) DEFAULT ''::character varying NOT NULL
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
    is_rejected boolean DEFAULT false NOT NULL,
    seal character varying(32) DEFAULT ''::character varying NOT NULL
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
    seal character varying(32) DEFAULT ''::character varying NOT NULL
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
    control integer,
    seal character varying(32) DEFAULT ''::character varying NOT NULL,
    revision integer DEFAULT 0 NOT NULL,
    delivery character varying(64) DEFAULT ''::character varying NOT NULL,
    seconds double precision,
    paused double precision,
    probability double precision
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
INSERT INTO public.alembic_version VALUES ('0007');
INSERT INTO public.campaigns VALUES (1, '00000000000000000000000000000000', 'reading', 'rating', 'test', 'dddddddddddddddddddddddddddddddd', '40c245e1ffc2a6946364f9548fa176c9', '0a32c4f8768e1668d45e901bbc0a9461', '235fcc423d0d6022eb018580f035c109', '{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": "", "probabilities": [], "side_by_side": 0, "is_adaptive": false, "is_merged": false}', '[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]', '2026-01-01T00:00:00.000+00:00', false, '', '[]', 1, '3d40b8ac3784ac8d6c81a4e9f893c486');
INSERT INTO public.campaigns VALUES (2, '00000000000000000000000000000001', 'reading', 'preference', 'test', 'dddddddddddddddddddddddddddddddd', '40c245e1ffc2a6946364f9548fa176c9', '0a32c4f8768e1668d45e901bbc0a9461', '235fcc423d0d6022eb018580f035c109', '{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": "", "probabilities": [], "side_by_side": 0, "is_adaptive": false, "is_merged": false}', '[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]', '2026-01-01T00:00:00.000+00:00', false, '', '[]', 1, '1348cbd92bd6a57a8e9336c624b77a34');
INSERT INTO public.campaigns VALUES (3, '00000000000000000000000000000002', 'reading', 'errors', 'test', 'dddddddddddddddddddddddddddddddd', '40c245e1ffc2a6946364f9548fa176c9', '0a32c4f8768e1668d45e901bbc0a9461', '235fcc423d0d6022eb018580f035c109', '{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": "", "probabilities": [], "side_by_side": 0, "is_adaptive": false, "is_merged": false}', '[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]', '2026-01-01T00:00:00.000+00:00', false, '', '[]', 1, '62df86494f38d056f32138567725ff79');
INSERT INTO public.campaigns VALUES (4, '00000000000000000000000000000003', 'reading', 'esa', 'test', 'dddddddddddddddddddddddddddddddd', '40c245e1ffc2a6946364f9548fa176c9', '0a32c4f8768e1668d45e901bbc0a9461', '235fcc423d0d6022eb018580f035c109', '{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": "", "probabilities": [], "side_by_side": 0, "is_adaptive": false, "is_merged": false}', '[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]', '2026-01-01T00:00:00.000+00:00', false, 'Mark what is wrong.', '[{"kind": "training", "source": "Quelle", "hypothesis": "a wrong word", "start": 2, "end": 7, "severity": "major", "low": 10.0, "high": 60.5, "explanation": "Why it is wrong.", "intact": "", "category": ""}]', 1, '54624b522c5fc734a0ba5e3654ab755b');
INSERT INTO public.contents VALUES ('40c245e1ffc2a6946364f9548fa176c9', '[["reference 0"], ["reference 1", "a\u0000b \ud800 <script>alert(1)</script> **x** $y$ :smile: \u2028 \u202e ''q'' \"r\"; DROP TABLE tasks; \ud83d\ude42"], ["reference 2"], ["reference 3", "a\u0000b \ud800 <script>alert(1)</script> **x** $y$ :smile: \u2028 \u202e ''q'' \"r\"; DROP TABLE tasks; \ud83d\ude42"], ["reference 4"], ["reference 5", "a\u0000b \ud800 <script>alert(1)</script> **x** $y$ :smile: \u2028 \u202e ''q'' \"r\"; DROP TABLE tasks; \ud83d\ude42"]]');
INSERT INTO public.contents VALUES ('0a32c4f8768e1668d45e901bbc0a9461', '["Quelle 0", "Quelle 1", "Quelle 2", "Quelle 3", "Quelle 4", "Quelle 5"]');
INSERT INTO public.contents VALUES ('235fcc423d0d6022eb018580f035c109', '["a", "a", "a", "b", "b", "b"]');
INSERT INTO public.contents VALUES ('05116fdf2b868e3a3da57450ee14a433', '["output 0 of 0", "output 0 of 1", "output 0 of 2", "output 0 of 3", "output 0 of 4", "output 0 of 5"]');
INSERT INTO public.contents VALUES ('1f3ee0f3d8192c643856739702687b95', '["output 1 of 0", "output 1 of 1", "output 1 of 2", "output 1 of 3", "output 1 of 4", "output 1 of 5"]');
INSERT INTO public.links VALUES (1, 1, NULL, 'yzt0AhQYcurgBuxjCc7VLg', NULL, 'bb8743ffdf80d03bd3768d9548caf147');
INSERT INTO public.links VALUES (2, 1, 'ann', 'j1bmK89gOqtprtUuFzGT6A', NULL, 'cb539acb9de98720547edc7158748b5e');
INSERT INTO public.links VALUES (3, 1, 'bob', 'P2igvWY-MfSibTUCp6rBgA', NULL, '7a51accb168cecfa336ce8a87d8fdc42');
INSERT INTO public.links VALUES (4, 2, NULL, '9Z5nIIHyVY5nTKitfDJflA', NULL, '4b32f0cb8abf0d4f188ca147f00ce4aa');
INSERT INTO public.links VALUES (5, 2, 'ann', 'AhIoZKAVCvWppsTp-FnhYQ', NULL, '2c5027e8db587cd97e8aa3d62d604431');
INSERT INTO public.links VALUES (6, 2, 'bob', 'KyK60LM3a_ZZU1zbH6p_aA', NULL, '693afe37bd0f397debce51028c1ae722');
INSERT INTO public.links VALUES (7, 3, NULL, '1AoarlNM2PgJKB3WUacr1g', NULL, 'ca483dba03191d737ea8a60a49402f7f');
INSERT INTO public.links VALUES (8, 3, 'ann', 'DCMai9FOUg2QEdZESQGQKQ', NULL, '382797382bd1dd7a007e5bcb3790a8b0');
INSERT INTO public.links VALUES (9, 3, 'bob', 'SfBlpnp5yxC_8Ne__PNmhA', NULL, '8c39e13c90dbeb3084520a8ffe5b8993');
INSERT INTO public.links VALUES (10, 4, NULL, 'wfRcmNXW6-Y_rrv_hNyQzQ', NULL, '8811b4eaa3a50ee2c2cd8f8d5d925f75');
INSERT INTO public.links VALUES (11, 4, 'ann', 'koyWIv8uOImvrqlHeKouOA', NULL, '4b5b38cb1af6f09f84edb98a283a8ccf');
INSERT INTO public.marks VALUES (2, 37, 'hypothesis', 0, 6, 'Other', 'major', 'a remark', NULL, '', '', false, '4bace44955e2ddf42d8d1633aaeb88e1');
INSERT INTO public.marks VALUES (3, 73, 'hypothesis', 0, 6, 'Other', 'major', 'a remark', 2.5, 'xCOMET', 'minor', false, '9e442b356b0656ba479c8ec8c43a1934');
INSERT INTO public.marks VALUES (4, 73, 'hypothesis', 0, 6, 'Other', 'major', 'a remark', 2.5, 'xCOMET', 'minor', true, '9a261146fb803602361cd11c07e2d2b7');
INSERT INTO public.outputs VALUES (1, 0, 'system 0', '0', '05116fdf2b868e3a3da57450ee14a433', '0c495d0df3ed6bd459bbecc36c97ad28');
INSERT INTO public.outputs VALUES (1, 1, 'system 1', '0', '1f3ee0f3d8192c643856739702687b95', 'bacdd9db876ba1ba43f6ffb143421e0f');
INSERT INTO public.outputs VALUES (2, 0, 'system 0', '0', '05116fdf2b868e3a3da57450ee14a433', 'a1e9d752546ad2ec319d0b1279d5bd8a');
INSERT INTO public.outputs VALUES (2, 1, 'system 1', '0', '1f3ee0f3d8192c643856739702687b95', '43bac3950ba4f1a01450b3d25835b33c');
INSERT INTO public.outputs VALUES (3, 0, 'system 0', '0', '05116fdf2b868e3a3da57450ee14a433', '0afa4b069c8eca514f198803075b59f3');
INSERT INTO public.outputs VALUES (3, 1, 'system 1', '0', '1f3ee0f3d8192c643856739702687b95', '2dac99c1c064330879f21003672b3dcc');
INSERT INTO public.outputs VALUES (4, 0, 'system 0', '0', '05116fdf2b868e3a3da57450ee14a433', 'c4804bfed0f52ad4bb2ac93dbe79b659');
INSERT INTO public.outputs VALUES (4, 1, 'system 1', '0', '1f3ee0f3d8192c643856739702687b95', 'd9add2844fe8ce100e72a9e38171c4fc');
INSERT INTO public.tasks VALUES (2, 1, 'ann', 1, 0, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'fa0dfbc42955ccaa008b58ac299de12e', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (3, 1, 'ann', 2, 3, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '00932db9d465c12a388d3a6ffc865902', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (4, 1, 'ann', 3, 4, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'e0138c84fd0b0771d159cf7c6bea5daa', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (5, 1, 'ann', 4, 3, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '151128506bde25a8d425af9d64b50395', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (6, 1, 'ann', 5, 2, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'd489cb8a5d1be640a58aa852e551dca4', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (7, 1, 'ann', 6, 1, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'f1cc404fb81d8c657c004bcc6b8abe75', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (8, 1, 'ann', 7, 1, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '2a6d23438e5b8e013a347881bd97b80f', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (9, 1, 'ann', 8, 4, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'ce06e5f978bc3537bf19c62cb2b3ce7d', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (10, 1, 'ann', 9, 2, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '13ca0a8ac1c4b468a6849e41bd1b6d57', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (11, 1, 'ann', 10, 0, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '60f645df0f33bc43902c294543e0477c', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (12, 1, 'ann', 11, 5, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '62779d34f867ad028ae627799ba4d4d6', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (13, 1, 'bob', 0, 0, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '49d3143da589986d1c0d2db113cf188e', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (14, 1, 'bob', 1, 5, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'e3590ff59b39970291445301ba1dde66', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (15, 1, 'bob', 2, 2, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '3b83d3cbba9e102e3b93a3b948aa91fa', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (16, 1, 'bob', 3, 3, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'cd5e683023302e11612b34c03bde86b0', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (17, 1, 'bob', 4, 0, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '4b7e9b0184342790553e53ef2300b75b', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (18, 1, 'bob', 5, 5, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '333863a2ecf3f8236a275a597fc2978e', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (19, 1, 'bob', 6, 1, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'c3894a4e9d7f0ff1b845328bcbf5bad5', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (20, 1, 'bob', 7, 2, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'aff2e6daf444f3233aff2c1d33e7dbf9', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (21, 1, 'bob', 8, 4, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'eadc2f5c2c87f07bb4622554ff28d900', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (22, 1, 'bob', 9, 1, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '6705f16aa491bb6e9093c04774be15b1', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (23, 1, 'bob', 10, 4, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '1d04e3dcb00a63d5d76e52424dae1e78', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (24, 1, 'bob', 11, 3, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '9ff38af461eeae28fcf56fc73e6f7ca6', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (1, 1, 'ann', 0, 5, 'random', 1, false, 61.5, 0, NULL, 'a comment', true, '2026-11-25T19:04:10.676+00:00', NULL, NULL, '6a7b6f6e36a198933a84be302a9e1b1a', 2, '153bd643188b42799cc7e51468a6136a 1', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (26, 2, 'ann', 1, 5, 'random', NULL, true, NULL, NULL, NULL, '', false, '', NULL, NULL, '914e6616ae7d59f91693dccede87ed31', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (27, 2, 'ann', 2, 1, 'random', NULL, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '64af162c18a8502dcb59f2eaadc59697', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (28, 2, 'ann', 3, 2, 'random', NULL, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'ecc00699e453c1fde14b38d151525eca', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (29, 2, 'ann', 4, 4, 'random', NULL, true, NULL, NULL, NULL, '', false, '', NULL, NULL, '65fd97835ae239bfb15e9b9d3218d6a7', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (30, 2, 'ann', 5, 3, 'random', NULL, true, NULL, NULL, NULL, '', false, '', NULL, NULL, '28c1cb72a785e7cb8c0132cf674db3ff', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (31, 2, 'bob', 0, 0, 'random', NULL, true, NULL, NULL, NULL, '', false, '', NULL, NULL, '3d77bae43a44dbebc36dc0aa8672126b', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (32, 2, 'bob', 1, 1, 'random', NULL, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'c203d6b6a6aed365a68a145559d20ef6', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (33, 2, 'bob', 2, 4, 'random', NULL, true, NULL, NULL, NULL, '', false, '', NULL, NULL, '376acc808368e3833b6d8c96f9df2363', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (34, 2, 'bob', 3, 5, 'random', NULL, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'fa1580c8c225839c3763a7af6df6d04c', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (35, 2, 'bob', 4, 3, 'random', NULL, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '8a948910b040a6e3082bf5860f7229b8', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (36, 2, 'bob', 5, 2, 'random', NULL, true, NULL, NULL, NULL, '', false, '', NULL, NULL, 'ef2bd3cadc26b716029b5d694c993c67', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (37, 3, 'ann', 0, 5, 'random', 1, false, NULL, NULL, NULL, 'a comment', false, '2026-11-25T19:04:10.845+00:00', NULL, NULL, '20f84e9a12675457011249dafad03677', 2, '5f813ac8cf664cd5908a5e9b60487f53 1', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (25, 2, 'ann', 0, 0, 'random', NULL, true, NULL, NULL, 'second', 'a comment', true, '2026-11-25T19:04:10.757+00:00', NULL, NULL, '32d77b5713aff3ee41490b4d2460b906', 2, 'e4778705df854569919e84e7aa335350 1', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (38, 3, 'ann', 1, 0, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '97dd89eeea0d58599a83bebff39bca83', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (39, 3, 'ann', 2, 3, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '37a7d6c17bca4cc82c153de0a7cec923', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (40, 3, 'ann', 3, 4, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'e640068ab3d2d76b61c1c22371fcd9c2', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (41, 3, 'ann', 4, 3, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '84967bd08c112bf2f8563b0ad2eecef4', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (42, 3, 'ann', 5, 2, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '7772a92b9fae0a55b3aec24c83040d88', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (43, 3, 'ann', 6, 1, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'bf1f401d23d8fe8b238939dca1c469fd', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (44, 3, 'ann', 7, 1, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '55675b39bf44ac522a2b2ec876bd822b', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (45, 3, 'ann', 8, 4, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'd26b772d7f611756303d10c36980f01e', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (46, 3, 'ann', 9, 2, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '7b65b577fde1ff930b90fb6c80585a81', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (47, 3, 'ann', 10, 0, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '5a418ebedf543597b53873f6e2ecd478', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (48, 3, 'ann', 11, 5, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'fa67a8f89d3ad12930038da1cdb8d2c8', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (49, 3, 'bob', 0, 0, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '672ade1c013503679e8bf33106158fd5', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (50, 3, 'bob', 1, 5, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '35648d7d838ce57970eaeb8048d0676c', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (51, 3, 'bob', 2, 2, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '472cbc8ebac2ac01b5e5c7087bd5d436', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (52, 3, 'bob', 3, 3, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '0c1364fc8e900d9712647a3a9a8d97fe', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (53, 3, 'bob', 4, 0, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '60416c65ecaf4a8929fc352dfa155c0a', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (54, 3, 'bob', 5, 5, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '91cf0ddc80d3f724bb505345d5af62bf', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (55, 3, 'bob', 6, 1, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '9e1f305908e813cbdfffcda5e8bd3052', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (56, 3, 'bob', 7, 2, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '5b40a17fdac1d3800aeb462f6a8fae2c', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (57, 3, 'bob', 8, 4, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '8c187fa53b187b6870348d788c419945', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (58, 3, 'bob', 9, 1, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'd05942bf5bd8418673d3b7c3eb5fbd93', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (59, 3, 'bob', 10, 4, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '895c3b7542a9ec5ef0482d3787c54ece', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (60, 3, 'bob', 11, 3, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '37c500e47710bd323e77423517339c55', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (61, 4, 'ann', 0, 0, 'training', 1, false, NULL, NULL, NULL, '', false, '', NULL, 0, 'cff7739ba61d0ffaf460dd9859fe8ded', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (62, 4, 'ann', 1, 5, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '21dfa0888c2b2515dd8e7e8030504a57', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (63, 4, 'ann', 2, 0, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '0c937f6acd100aa7ba94b65b31065a7c', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (64, 4, 'ann', 3, 3, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '65abc9cf2020becd4417234533f3ed9b', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (65, 4, 'ann', 4, 4, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'b9363fd13992ff673f130ee60d3ff88d', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (66, 4, 'ann', 5, 3, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '99e0c1dcbe5a9be03bcf3986e96aa875', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (67, 4, 'ann', 6, 2, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '1b025b0b1970e5cd5be95bdc416e6d36', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (68, 4, 'ann', 7, 1, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'bd98cd1fbe79614c63b065b458797c76', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (69, 4, 'ann', 8, 1, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'e78baa552322da1acb94f5ad6b3eecdc', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (70, 4, 'ann', 9, 4, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '05f426f8a1f6a818e68790ef5bc8dddc', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (71, 4, 'ann', 10, 2, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '46e75ad046624992c2f7b99042d7002d', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (72, 4, 'ann', 11, 0, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '77f9860907caffef2f3ff408c4833393', 0, '', NULL, NULL, NULL);
INSERT INTO public.tasks VALUES (73, 4, 'ann', 12, 5, 'random', 0, false, NULL, NULL, NULL, '', true, '2026-11-25T19:04:10.923+00:00', 61.5, NULL, '94fef94b6cacffa9787af796aa150a59', 1, 'ad0c4a49d80c49fca87a12cea76f7f5d 1', NULL, NULL, NULL);
SELECT pg_catalog.setval('public.campaigns_id_seq', 4, true);
SELECT pg_catalog.setval('public.links_id_seq', 11, true);
SELECT pg_catalog.setval('public.marks_id_seq', 4, true);
SELECT pg_catalog.setval('public.tasks_id_seq', 73, true);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
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
