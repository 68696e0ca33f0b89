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
    seal character varying(32) DEFAULT ''::character varying NOT NULL
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
INSERT INTO public.alembic_version VALUES ('0005');
INSERT INTO public.campaigns VALUES (1, '00000000000000000000000000000000', 'reading', 'rating', 'test', 'dddddddddddddddddddddddddddddddd', '40c245e1ffc2a6946364f9548fa176c9', '0a32c4f8768e1668d45e901bbc0a9461', '235fcc423d0d6022eb018580f035c109', '{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": ""}', '[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]', '2026-01-01T00:00:00.000+00:00', false, '', '[]', 1, '4402141aca657d4e5fef994b41c1a34f');
INSERT INTO public.campaigns VALUES (2, '00000000000000000000000000000001', 'reading', 'preference', 'test', 'dddddddddddddddddddddddddddddddd', '40c245e1ffc2a6946364f9548fa176c9', '0a32c4f8768e1668d45e901bbc0a9461', '235fcc423d0d6022eb018580f035c109', '{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": ""}', '[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]', '2026-01-01T00:00:00.000+00:00', false, '', '[]', 1, '5c259f300483ae4c3b1d1982866812e3');
INSERT INTO public.campaigns VALUES (3, '00000000000000000000000000000002', 'reading', 'errors', 'test', 'dddddddddddddddddddddddddddddddd', '40c245e1ffc2a6946364f9548fa176c9', '0a32c4f8768e1668d45e901bbc0a9461', '235fcc423d0d6022eb018580f035c109', '{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": ""}', '[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]', '2026-01-01T00:00:00.000+00:00', false, '', '[]', 1, '0a4908437d247152b01cb31eca87ee7a');
INSERT INTO public.campaigns VALUES (4, '00000000000000000000000000000003', 'reading', 'esa', 'test', 'dddddddddddddddddddddddddddddddd', '40c245e1ffc2a6946364f9548fa176c9', '0a32c4f8768e1668d45e901bbc0a9461', '235fcc423d0d6022eb018580f035c109', '{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": ""}', '[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]', '2026-01-01T00:00:00.000+00:00', false, 'Mark what is wrong.', '[{"kind": "training", "source": "Quelle", "hypothesis": "a wrong word", "start": 2, "end": 7, "severity": "major", "low": 10.0, "high": 60.5, "explanation": "Why it is wrong.", "intact": "", "category": ""}]', 1, 'ff2dfac5fc66e97abdee997ca959fbe9');
INSERT INTO public.contents VALUES ('40c245e1ffc2a6946364f9548fa176c9', '[["reference 0"], ["reference 1", "a\u0000b \ud800 <script>alert(1)</script> **x** $y$ :smile: \u2028 \u202e ''q'' \"r\"; DROP TABLE tasks; \ud83d\ude42"], ["reference 2"], ["reference 3", "a\u0000b \ud800 <script>alert(1)</script> **x** $y$ :smile: \u2028 \u202e ''q'' \"r\"; DROP TABLE tasks; \ud83d\ude42"], ["reference 4"], ["reference 5", "a\u0000b \ud800 <script>alert(1)</script> **x** $y$ :smile: \u2028 \u202e ''q'' \"r\"; DROP TABLE tasks; \ud83d\ude42"]]');
INSERT INTO public.contents VALUES ('0a32c4f8768e1668d45e901bbc0a9461', '["Quelle 0", "Quelle 1", "Quelle 2", "Quelle 3", "Quelle 4", "Quelle 5"]');
INSERT INTO public.contents VALUES ('235fcc423d0d6022eb018580f035c109', '["a", "a", "a", "b", "b", "b"]');
INSERT INTO public.contents VALUES ('05116fdf2b868e3a3da57450ee14a433', '["output 0 of 0", "output 0 of 1", "output 0 of 2", "output 0 of 3", "output 0 of 4", "output 0 of 5"]');
INSERT INTO public.contents VALUES ('1f3ee0f3d8192c643856739702687b95', '["output 1 of 0", "output 1 of 1", "output 1 of 2", "output 1 of 3", "output 1 of 4", "output 1 of 5"]');
INSERT INTO public.links VALUES (1, 1, NULL, 'GRNSNQLtKK6e4pBVu2ixGA', NULL, '5c8c6cac0e115e154220dac7261b3e7a');
INSERT INTO public.links VALUES (2, 1, 'ann', '_YSz4bdEBmFExLLpbOp85w', NULL, '24b2eb6fe3afe600589152aeb33cb7bd');
INSERT INTO public.links VALUES (3, 1, 'bob', 'PJx-MnHyqC6UDM6NuDVzVA', NULL, 'ee3bdcfd469b31f976401be35e76cca0');
INSERT INTO public.links VALUES (4, 2, NULL, 'Omv0Jbb4zDC901PB1AZNnw', NULL, '754bea95d060905d09685a41fa2f175c');
INSERT INTO public.links VALUES (5, 2, 'ann', 'q18LAGiSZlSIzBotaM0_ZA', NULL, '9aa11fb91cd629340ccf681808c88065');
INSERT INTO public.links VALUES (6, 2, 'bob', 'iIYaOg2avL0wma93FnirSw', NULL, '15f936d6d040ca68205bc6878aef53e6');
INSERT INTO public.links VALUES (7, 3, NULL, 'NuzggbeaKfSx8vDHi3tBqw', NULL, '6a8ca5f667ac6fd2e18e457edd37d783');
INSERT INTO public.links VALUES (8, 3, 'ann', 'mvpRkQ1uxDKbif94K4AL3g', NULL, 'e959a616962d634ad2cb294a2367a103');
INSERT INTO public.links VALUES (9, 3, 'bob', 'j5sDSgHCNLK123_k1a5MbA', NULL, '21f9e96e9627e9cc1e04e94d99d0f1dc');
INSERT INTO public.links VALUES (10, 4, NULL, '3hrm3LNLF7CMswN0Quq1YA', NULL, '099289e8c412b79497eca85ccf1ecc7f');
INSERT INTO public.links VALUES (11, 4, 'ann', 'u8bv1iQZx3o88X0uLDMchQ', NULL, 'c5b9418c96dea7dede9c56b678b2a0df');
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
INSERT INTO public.tasks VALUES (2, 1, 'ann', 1, 0, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'f4ebae1a5c3a91a47c245d2b478643f0');
INSERT INTO public.tasks VALUES (3, 1, 'ann', 2, 3, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '6fbb634f78d234f682ade21aeb47b136');
INSERT INTO public.tasks VALUES (4, 1, 'ann', 3, 4, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '607e026c94e00f78b3ed2a8499bb4612');
INSERT INTO public.tasks VALUES (5, 1, 'ann', 4, 3, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '024d67fb5e0d59dab6f5a07baeacc2e7');
INSERT INTO public.tasks VALUES (6, 1, 'ann', 5, 2, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '96232dde86764e5953ed6e94d3608773');
INSERT INTO public.tasks VALUES (7, 1, 'ann', 6, 1, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '4ad695e4e4d5f2170f4847ae5abd9463');
INSERT INTO public.tasks VALUES (8, 1, 'ann', 7, 1, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '02af9f792505361023fd3cf2bc9e209c');
INSERT INTO public.tasks VALUES (9, 1, 'ann', 8, 4, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '301a74fe800d9c704a809e50bb8cef4a');
INSERT INTO public.tasks VALUES (10, 1, 'ann', 9, 2, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '274cdd4132994ef4ab864153dd478c2f');
INSERT INTO public.tasks VALUES (11, 1, 'ann', 10, 0, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '040344ae84294d1b5a8bad7acf267ec8');
INSERT INTO public.tasks VALUES (12, 1, 'ann', 11, 5, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'b395f21d13e204d2a8b740415bd627fb');
INSERT INTO public.tasks VALUES (13, 1, 'bob', 0, 0, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '7dd98773ca1671e08d2f5af30312f21e');
INSERT INTO public.tasks VALUES (14, 1, 'bob', 1, 5, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '240e39dea11c5c3e7e4354a3eaa27e37');
INSERT INTO public.tasks VALUES (15, 1, 'bob', 2, 2, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '094b2f83ca07ad11d15cb7dbe742ed20');
INSERT INTO public.tasks VALUES (16, 1, 'bob', 3, 3, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '61550974e632f32de016cd193e9bc632');
INSERT INTO public.tasks VALUES (17, 1, 'bob', 4, 0, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '8baa0451412d99c39cc246ce6ffbf497');
INSERT INTO public.tasks VALUES (18, 1, 'bob', 5, 5, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '298677c6fe9d5fdc6fe3a2b06531d239');
INSERT INTO public.tasks VALUES (19, 1, 'bob', 6, 1, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'aabb2ff4a3f5d73a06036abcbd9db498');
INSERT INTO public.tasks VALUES (20, 1, 'bob', 7, 2, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'ae113c3015e24c1e0d130a247d5fc1d7');
INSERT INTO public.tasks VALUES (21, 1, 'bob', 8, 4, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '8cf118f3b639a6db6910f415fed3119c');
INSERT INTO public.tasks VALUES (22, 1, 'bob', 9, 1, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '25142c390882f7c6a9cb21d610477786');
INSERT INTO public.tasks VALUES (23, 1, 'bob', 10, 4, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'ce0a135392320394553f0c7a76494aa4');
INSERT INTO public.tasks VALUES (24, 1, 'bob', 11, 3, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'ad62d744ab1da8a73d13d14ece901130');
INSERT INTO public.tasks VALUES (1, 1, 'ann', 0, 5, 'random', 1, false, 61.5, 0, NULL, 'a comment', true, '2026-11-25T10:25:54.531+00:00', NULL, NULL, '29b902350075183afda048fa7848afc1');
INSERT INTO public.tasks VALUES (26, 2, 'ann', 1, 5, 'random', NULL, true, NULL, NULL, NULL, '', false, '', NULL, NULL, '53c66d7d95a299abc18021993cf2470d');
INSERT INTO public.tasks VALUES (27, 2, 'ann', 2, 1, 'random', NULL, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '8772f831f6f423ca5f9d13d94c2123b2');
INSERT INTO public.tasks VALUES (28, 2, 'ann', 3, 2, 'random', NULL, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '71c3156753ec8d11e8371af27e69fe49');
INSERT INTO public.tasks VALUES (29, 2, 'ann', 4, 4, 'random', NULL, true, NULL, NULL, NULL, '', false, '', NULL, NULL, '485a225cdb854ca23554761603a83553');
INSERT INTO public.tasks VALUES (30, 2, 'ann', 5, 3, 'random', NULL, true, NULL, NULL, NULL, '', false, '', NULL, NULL, '55b1d7b5672256b4f8ad312b4c443d0c');
INSERT INTO public.tasks VALUES (31, 2, 'bob', 0, 0, 'random', NULL, true, NULL, NULL, NULL, '', false, '', NULL, NULL, '28bc689060ba5032351cf6527e1926d9');
INSERT INTO public.tasks VALUES (32, 2, 'bob', 1, 1, 'random', NULL, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'c808adf2203f6abaa7f30d85d95dc867');
INSERT INTO public.tasks VALUES (33, 2, 'bob', 2, 4, 'random', NULL, true, NULL, NULL, NULL, '', false, '', NULL, NULL, 'b880d2c1b70fec64b2489a39aaf6da16');
INSERT INTO public.tasks VALUES (34, 2, 'bob', 3, 5, 'random', NULL, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '58edff5e873094c607346d56a5d09d37');
INSERT INTO public.tasks VALUES (35, 2, 'bob', 4, 3, 'random', NULL, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'ae11ed53a813608f1553a32c307475d3');
INSERT INTO public.tasks VALUES (36, 2, 'bob', 5, 2, 'random', NULL, true, NULL, NULL, NULL, '', false, '', NULL, NULL, '1341b0f9922a2da5a4bdc72b4fbec45f');
INSERT INTO public.tasks VALUES (25, 2, 'ann', 0, 0, 'random', NULL, true, NULL, NULL, 'second', 'a comment', true, '2026-11-25T10:25:54.785+00:00', NULL, NULL, '15e193ee81e0733c3fd8e24b94210105');
INSERT INTO public.tasks VALUES (38, 3, 'ann', 1, 0, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'd13eb975708d6ee203091d7a9085616a');
INSERT INTO public.tasks VALUES (39, 3, 'ann', 2, 3, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'f31a38e44af766e3f23721555c0f431d');
INSERT INTO public.tasks VALUES (40, 3, 'ann', 3, 4, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'c0c0d0a58c2edec31bc6c1dbdc78bda9');
INSERT INTO public.tasks VALUES (41, 3, 'ann', 4, 3, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'e93ce127d799ea74c755281d73a3c5d7');
INSERT INTO public.tasks VALUES (42, 3, 'ann', 5, 2, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '7928c25704eab6cf84b2cc00b8a91edb');
INSERT INTO public.tasks VALUES (43, 3, 'ann', 6, 1, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '8a5c7c0272aff972b7c4edd223fc1014');
INSERT INTO public.tasks VALUES (44, 3, 'ann', 7, 1, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'e10ea49a7db7c7a9b3589669bcba4945');
INSERT INTO public.tasks VALUES (45, 3, 'ann', 8, 4, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'c17518cb62fd32a30ca3028c73ba1702');
INSERT INTO public.tasks VALUES (46, 3, 'ann', 9, 2, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '42ec14ee0cf9738e02c6ce28fcdb27b5');
INSERT INTO public.tasks VALUES (47, 3, 'ann', 10, 0, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'bad6895e93fc85c24a45b64adb5fe30e');
INSERT INTO public.tasks VALUES (48, 3, 'ann', 11, 5, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '61c2d2023dc7021984d3779e726c7aa7');
INSERT INTO public.tasks VALUES (49, 3, 'bob', 0, 0, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '247e25f837afe8aaf92f7cda7bdfd820');
INSERT INTO public.tasks VALUES (50, 3, 'bob', 1, 5, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'c131264ea5b5c2431c702a29b5ce792c');
INSERT INTO public.tasks VALUES (51, 3, 'bob', 2, 2, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '75bd3436b6eea4bbb6d77a3af2529fdc');
INSERT INTO public.tasks VALUES (52, 3, 'bob', 3, 3, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '11756e47dd41a4fc9013562b6bc91cbc');
INSERT INTO public.tasks VALUES (53, 3, 'bob', 4, 0, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '5e792dc4da063735db32193e994169cc');
INSERT INTO public.tasks VALUES (54, 3, 'bob', 5, 5, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'd7e59aa1586a1b765dc214f97cfb1a79');
INSERT INTO public.tasks VALUES (55, 3, 'bob', 6, 1, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '507c6266c4cadb9144e0160de045289b');
INSERT INTO public.tasks VALUES (56, 3, 'bob', 7, 2, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'b7ba5bdf011d8f39220cf2a4add0a042');
INSERT INTO public.tasks VALUES (57, 3, 'bob', 8, 4, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '1fa690e08eadf788da84af5e67510285');
INSERT INTO public.tasks VALUES (58, 3, 'bob', 9, 1, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'ccc5a16f1fde71ffabd439566d3281d8');
INSERT INTO public.tasks VALUES (59, 3, 'bob', 10, 4, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'd712f5ecbb0230328b2bbc1d578530cd');
INSERT INTO public.tasks VALUES (60, 3, 'bob', 11, 3, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '2cab60aa8467f0b8ca93f3c3220878ea');
INSERT INTO public.tasks VALUES (37, 3, 'ann', 0, 5, 'random', 1, false, NULL, NULL, NULL, 'a comment', false, '2026-11-25T10:25:54.955+00:00', NULL, NULL, '5b531865e29f53a72ffa1049068a0151');
INSERT INTO public.tasks VALUES (61, 4, 'ann', 0, 0, 'training', 1, false, NULL, NULL, NULL, '', false, '', NULL, 0, 'f5f47b2bf7a07c2292f28d34025d57b3');
INSERT INTO public.tasks VALUES (62, 4, 'ann', 1, 5, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'a88c52e97efaba89dd8db556bc896a7d');
INSERT INTO public.tasks VALUES (63, 4, 'ann', 2, 0, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'df7cb34d23a843ca6896f6cd254fc545');
INSERT INTO public.tasks VALUES (64, 4, 'ann', 3, 3, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'bd94a55c60e92b8e15a302e234bd19d6');
INSERT INTO public.tasks VALUES (65, 4, 'ann', 4, 4, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'be723018c4ffdc6cb3fb28af71a05858');
INSERT INTO public.tasks VALUES (66, 4, 'ann', 5, 3, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'fb7b3aeddbd331a875c50fcf174acb8f');
INSERT INTO public.tasks VALUES (67, 4, 'ann', 6, 2, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '1470d619b3743e0994054b6b3df89355');
INSERT INTO public.tasks VALUES (68, 4, 'ann', 7, 1, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '8516534e4cdee842d0ca0dfc8d65df63');
INSERT INTO public.tasks VALUES (69, 4, 'ann', 8, 1, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '1659be3430553657746c576fdc5b1008');
INSERT INTO public.tasks VALUES (70, 4, 'ann', 9, 4, 'random', 0, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'd41d06dd849dc65e3b4b3533f5561036');
INSERT INTO public.tasks VALUES (71, 4, 'ann', 10, 2, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, '4685612d131e099b0eb0b2577a137335');
INSERT INTO public.tasks VALUES (72, 4, 'ann', 11, 0, 'random', 1, false, NULL, NULL, NULL, '', false, '', NULL, NULL, 'bab3c35e226c76940a8eb99e3d35fbb9');
INSERT INTO public.tasks VALUES (73, 4, 'ann', 12, 5, 'random', 0, false, NULL, NULL, NULL, '', true, '2026-11-25T10:25:55.136+00:00', 61.5, NULL, '394c1a92547aa1e813e1ffa5fc1c6e9e');
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
