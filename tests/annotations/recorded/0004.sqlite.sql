BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0004');
CREATE TABLE campaigns (
	id INTEGER NOT NULL, 
	uid VARCHAR(32) NOT NULL, 
	name TEXT NOT NULL, 
	way VARCHAR(16) NOT NULL, 
	test_set TEXT NOT NULL, 
	test_set_digest VARCHAR(32) NOT NULL, 
	reference_texts VARCHAR(32) NOT NULL, 
	source VARCHAR(32), 
	documents VARCHAR(32), 
	"plan" JSON NOT NULL, 
	typology JSON NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	is_closed BOOLEAN NOT NULL, instructions TEXT DEFAULT '' NOT NULL, controls JSON DEFAULT '[]' NOT NULL, definitions INTEGER DEFAULT '1' NOT NULL, 
	CONSTRAINT pk_campaigns PRIMARY KEY (id), 
	CONSTRAINT uq_campaigns_uid UNIQUE (uid), 
	CONSTRAINT fk_campaigns_reference_texts_contents FOREIGN KEY(reference_texts) REFERENCES contents (digest), 
	CONSTRAINT fk_campaigns_source_contents FOREIGN KEY(source) REFERENCES contents (digest), 
	CONSTRAINT fk_campaigns_documents_contents FOREIGN KEY(documents) REFERENCES contents (digest)
);
INSERT INTO "campaigns" VALUES(1,'00000000000000000000000000000000','reading','rating','test','dddddddddddddddddddddddddddddddd','40c245e1ffc2a6946364f9548fa176c9','0a32c4f8768e1668d45e901bbc0a9461','235fcc423d0d6022eb018580f035c109','{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": ""}','[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]','2026-01-01T00:00:00.000+00:00',0,'','[]',1);
INSERT INTO "campaigns" VALUES(2,'00000000000000000000000000000001','reading','preference','test','dddddddddddddddddddddddddddddddd','40c245e1ffc2a6946364f9548fa176c9','0a32c4f8768e1668d45e901bbc0a9461','235fcc423d0d6022eb018580f035c109','{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": ""}','[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]','2026-01-01T00:00:00.000+00:00',0,'','[]',1);
INSERT INTO "campaigns" VALUES(3,'00000000000000000000000000000002','reading','errors','test','dddddddddddddddddddddddddddddddd','40c245e1ffc2a6946364f9548fa176c9','0a32c4f8768e1668d45e901bbc0a9461','235fcc423d0d6022eb018580f035c109','{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": ""}','[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]','2026-01-01T00:00:00.000+00:00',0,'','[]',1);
INSERT INTO "campaigns" VALUES(4,'00000000000000000000000000000003','reading','esa','test','dddddddddddddddddddddddddddddddd','40c245e1ffc2a6946364f9548fa176c9','0a32c4f8768e1668d45e901bbc0a9461','235fcc423d0d6022eb018580f035c109','{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": ""}','[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]','2026-01-01T00:00:00.000+00:00',0,'Mark what is wrong.','[{"kind": "training", "source": "Quelle", "hypothesis": "a wrong word", "start": 2, "end": 7, "severity": "major", "low": 10.0, "high": 60.5, "explanation": "Why it is wrong.", "intact": "", "category": ""}]',1);
CREATE TABLE contents (
	digest VARCHAR(32) NOT NULL, 
	texts JSON NOT NULL, 
	CONSTRAINT pk_contents PRIMARY KEY (digest)
);
INSERT INTO "contents" VALUES('40c245e1ffc2a6946364f9548fa176c9','[["reference 0"], ["reference 1", "a\u0000b \ud800 <script>alert(1)</script> **x** $y$ :smile: \u2028 \u202e ''q'' \"r\"; DROP TABLE tasks; \ud83d\ude42"], ["reference 2"], ["reference 3", "a\u0000b \ud800 <script>alert(1)</script> **x** $y$ :smile: \u2028 \u202e ''q'' \"r\"; DROP TABLE tasks; \ud83d\ude42"], ["reference 4"], ["reference 5", "a\u0000b \ud800 <script>alert(1)</script> **x** $y$ :smile: \u2028 \u202e ''q'' \"r\"; DROP TABLE tasks; \ud83d\ude42"]]');
INSERT INTO "contents" VALUES('0a32c4f8768e1668d45e901bbc0a9461','["Quelle 0", "Quelle 1", "Quelle 2", "Quelle 3", "Quelle 4", "Quelle 5"]');
INSERT INTO "contents" VALUES('235fcc423d0d6022eb018580f035c109','["a", "a", "a", "b", "b", "b"]');
INSERT INTO "contents" VALUES('05116fdf2b868e3a3da57450ee14a433','["output 0 of 0", "output 0 of 1", "output 0 of 2", "output 0 of 3", "output 0 of 4", "output 0 of 5"]');
INSERT INTO "contents" VALUES('1f3ee0f3d8192c643856739702687b95','["output 1 of 0", "output 1 of 1", "output 1 of 2", "output 1 of 3", "output 1 of 4", "output 1 of 5"]');
CREATE TABLE coordinators (
	campaign_id INTEGER NOT NULL, 
	visitor VARCHAR(200) NOT NULL, 
	CONSTRAINT pk_coordinators PRIMARY KEY (campaign_id, visitor), 
	CONSTRAINT fk_coordinators_campaign_id_campaigns FOREIGN KEY(campaign_id) REFERENCES campaigns (id) ON DELETE CASCADE
);
CREATE TABLE links (
	id INTEGER NOT NULL, 
	campaign_id INTEGER NOT NULL, 
	annotator VARCHAR(200), 
	token VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_links PRIMARY KEY (id), 
	CONSTRAINT uq_links_token UNIQUE (token), 
	CONSTRAINT fk_links_campaign_id_campaigns FOREIGN KEY(campaign_id) REFERENCES campaigns (id) ON DELETE CASCADE
);
INSERT INTO "links" VALUES(1,1,NULL,'5Z9juXHxfwr5kk8VrUwogQ');
INSERT INTO "links" VALUES(2,1,'ann','gOwm8pggwJsdiF6SdJKrbw');
INSERT INTO "links" VALUES(3,1,'bob','bgfj9--d9TmOwr14HTgXWw');
INSERT INTO "links" VALUES(4,2,NULL,'93MisiuLvrCatuV34ljWng');
INSERT INTO "links" VALUES(5,2,'ann','S_NtuAZ_i_L1z2-8UDVsTQ');
INSERT INTO "links" VALUES(6,2,'bob','s9LcEDxZyjm40R8eUJUTPQ');
INSERT INTO "links" VALUES(7,3,NULL,'QL_Vnk0h8QPKP5Dgvf9I9Q');
INSERT INTO "links" VALUES(8,3,'ann','DrdWFTf6sAFUCdosPRPSvA');
INSERT INTO "links" VALUES(9,3,'bob','DiSVuUpYNhWL2z2v_eRnig');
INSERT INTO "links" VALUES(10,4,NULL,'MxPj019H9Ns-Lm_fB0BJbw');
INSERT INTO "links" VALUES(11,4,'ann','YeHlkVujOJaKbiwy8ZLvFQ');
CREATE TABLE marks (
	id INTEGER NOT NULL, 
	task_id INTEGER NOT NULL, 
	side VARCHAR(16) NOT NULL, 
	span_start INTEGER NOT NULL, 
	span_end INTEGER NOT NULL, 
	category TEXT NOT NULL, 
	severity VARCHAR(16) NOT NULL, 
	comment TEXT NOT NULL, weight DOUBLE, origin TEXT DEFAULT '' NOT NULL, suggested VARCHAR(16) DEFAULT '' NOT NULL, is_rejected BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_marks PRIMARY KEY (id), 
	CONSTRAINT fk_marks_task_id_tasks FOREIGN KEY(task_id) REFERENCES tasks (id) ON DELETE CASCADE
);
INSERT INTO "marks" VALUES(1,37,'hypothesis',0,6,'Other','major','a remark',NULL,'','',0);
INSERT INTO "marks" VALUES(2,73,'hypothesis',0,6,'Other','major','a remark',2.5,'xCOMET','minor',0);
INSERT INTO "marks" VALUES(3,73,'hypothesis',0,6,'Other','major','a remark',2.5,'xCOMET','minor',1);
CREATE TABLE outputs (
	campaign_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	system TEXT NOT NULL, 
	run TEXT NOT NULL, 
	digest VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_outputs PRIMARY KEY (campaign_id, position), 
	CONSTRAINT fk_outputs_campaign_id_campaigns FOREIGN KEY(campaign_id) REFERENCES campaigns (id) ON DELETE CASCADE, 
	CONSTRAINT fk_outputs_digest_contents FOREIGN KEY(digest) REFERENCES contents (digest)
);
INSERT INTO "outputs" VALUES(1,0,'system 0','0','05116fdf2b868e3a3da57450ee14a433');
INSERT INTO "outputs" VALUES(1,1,'system 1','0','1f3ee0f3d8192c643856739702687b95');
INSERT INTO "outputs" VALUES(2,0,'system 0','0','05116fdf2b868e3a3da57450ee14a433');
INSERT INTO "outputs" VALUES(2,1,'system 1','0','1f3ee0f3d8192c643856739702687b95');
INSERT INTO "outputs" VALUES(3,0,'system 0','0','05116fdf2b868e3a3da57450ee14a433');
INSERT INTO "outputs" VALUES(3,1,'system 1','0','1f3ee0f3d8192c643856739702687b95');
INSERT INTO "outputs" VALUES(4,0,'system 0','0','05116fdf2b868e3a3da57450ee14a433');
INSERT INTO "outputs" VALUES(4,1,'system 1','0','1f3ee0f3d8192c643856739702687b95');
CREATE TABLE tasks (
	id INTEGER NOT NULL, 
	campaign_id INTEGER NOT NULL, 
	annotator VARCHAR(200) NOT NULL, 
	position INTEGER NOT NULL, 
	segment INTEGER NOT NULL, 
	stratum VARCHAR(16) NOT NULL, 
	output INTEGER, 
	is_swapped BOOLEAN NOT NULL, 
	adequacy DOUBLE, 
	fluency DOUBLE, 
	preference VARCHAR(16), 
	comment TEXT NOT NULL, 
	is_complete BOOLEAN NOT NULL, 
	updated_at VARCHAR(32) NOT NULL, score DOUBLE, control INTEGER, 
	CONSTRAINT pk_tasks PRIMARY KEY (id), 
	CONSTRAINT uq_tasks_campaign_id_annotator_position UNIQUE (campaign_id, annotator, position), 
	CONSTRAINT fk_tasks_campaign_id_campaigns FOREIGN KEY(campaign_id) REFERENCES campaigns (id) ON DELETE CASCADE
);
INSERT INTO "tasks" VALUES(1,1,'ann',0,5,'random',1,0,61.5,0.0,NULL,'a comment',1,'2026-11-23T15:24:31.562+00:00',NULL,NULL);
INSERT INTO "tasks" VALUES(2,1,'ann',1,0,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(3,1,'ann',2,3,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(4,1,'ann',3,4,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(5,1,'ann',4,3,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(6,1,'ann',5,2,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(7,1,'ann',6,1,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(8,1,'ann',7,1,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(9,1,'ann',8,4,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(10,1,'ann',9,2,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(11,1,'ann',10,0,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(12,1,'ann',11,5,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(13,1,'bob',0,0,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(14,1,'bob',1,5,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(15,1,'bob',2,2,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(16,1,'bob',3,3,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(17,1,'bob',4,0,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(18,1,'bob',5,5,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(19,1,'bob',6,1,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(20,1,'bob',7,2,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(21,1,'bob',8,4,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(22,1,'bob',9,1,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(23,1,'bob',10,4,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(24,1,'bob',11,3,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(25,2,'ann',0,0,'random',NULL,1,NULL,NULL,'second','a comment',1,'2026-11-23T15:24:31.571+00:00',NULL,NULL);
INSERT INTO "tasks" VALUES(26,2,'ann',1,5,'random',NULL,1,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(27,2,'ann',2,1,'random',NULL,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(28,2,'ann',3,2,'random',NULL,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(29,2,'ann',4,4,'random',NULL,1,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(30,2,'ann',5,3,'random',NULL,1,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(31,2,'bob',0,0,'random',NULL,1,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(32,2,'bob',1,1,'random',NULL,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(33,2,'bob',2,4,'random',NULL,1,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(34,2,'bob',3,5,'random',NULL,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(35,2,'bob',4,3,'random',NULL,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(36,2,'bob',5,2,'random',NULL,1,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(37,3,'ann',0,5,'random',1,0,NULL,NULL,NULL,'a comment',0,'2026-11-23T15:24:31.581+00:00',NULL,NULL);
INSERT INTO "tasks" VALUES(38,3,'ann',1,0,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(39,3,'ann',2,3,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(40,3,'ann',3,4,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(41,3,'ann',4,3,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(42,3,'ann',5,2,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(43,3,'ann',6,1,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(44,3,'ann',7,1,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(45,3,'ann',8,4,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(46,3,'ann',9,2,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(47,3,'ann',10,0,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(48,3,'ann',11,5,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(49,3,'bob',0,0,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(50,3,'bob',1,5,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(51,3,'bob',2,2,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(52,3,'bob',3,3,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(53,3,'bob',4,0,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(54,3,'bob',5,5,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(55,3,'bob',6,1,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(56,3,'bob',7,2,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(57,3,'bob',8,4,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(58,3,'bob',9,1,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(59,3,'bob',10,4,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(60,3,'bob',11,3,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(61,4,'ann',0,0,'training',1,0,NULL,NULL,NULL,'',0,'',NULL,0);
INSERT INTO "tasks" VALUES(62,4,'ann',1,5,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(63,4,'ann',2,0,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(64,4,'ann',3,3,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(65,4,'ann',4,4,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(66,4,'ann',5,3,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(67,4,'ann',6,2,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(68,4,'ann',7,1,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(69,4,'ann',8,1,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(70,4,'ann',9,4,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(71,4,'ann',10,2,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(72,4,'ann',11,0,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(73,4,'ann',12,5,'random',0,0,NULL,NULL,NULL,'',1,'2026-11-23T15:24:31.590+00:00',61.5,NULL);
CREATE INDEX ix_outputs_digest ON outputs (digest);
CREATE INDEX ix_marks_task_id ON marks (task_id);
CREATE INDEX ix_links_campaign_id ON links (campaign_id);
CREATE INDEX ix_coordinators_visitor ON coordinators (visitor);
COMMIT;
