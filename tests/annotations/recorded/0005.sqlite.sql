BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0005');
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
	is_closed BOOLEAN NOT NULL, instructions TEXT DEFAULT '' NOT NULL, controls JSON DEFAULT '[]' NOT NULL, definitions INTEGER DEFAULT '1' NOT NULL, seal VARCHAR(32) DEFAULT '' NOT NULL, 
	CONSTRAINT pk_campaigns PRIMARY KEY (id), 
	CONSTRAINT uq_campaigns_uid UNIQUE (uid), 
	CONSTRAINT fk_campaigns_reference_texts_contents FOREIGN KEY(reference_texts) REFERENCES contents (digest), 
	CONSTRAINT fk_campaigns_source_contents FOREIGN KEY(source) REFERENCES contents (digest), 
	CONSTRAINT fk_campaigns_documents_contents FOREIGN KEY(documents) REFERENCES contents (digest)
);
INSERT INTO "campaigns" VALUES(1,'00000000000000000000000000000000','reading','rating','test','dddddddddddddddddddddddddddddddd','40c245e1ffc2a6946364f9548fa176c9','0a32c4f8768e1668d45e901bbc0a9461','235fcc423d0d6022eb018580f035c109','{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": ""}','[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]','2026-01-01T00:00:00.000+00:00',0,'','[]',1,'4402141aca657d4e5fef994b41c1a34f');
INSERT INTO "campaigns" VALUES(2,'00000000000000000000000000000001','reading','preference','test','dddddddddddddddddddddddddddddddd','40c245e1ffc2a6946364f9548fa176c9','0a32c4f8768e1668d45e901bbc0a9461','235fcc423d0d6022eb018580f035c109','{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": ""}','[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]','2026-01-01T00:00:00.000+00:00',0,'','[]',1,'5c259f300483ae4c3b1d1982866812e3');
INSERT INTO "campaigns" VALUES(3,'00000000000000000000000000000002','reading','errors','test','dddddddddddddddddddddddddddddddd','40c245e1ffc2a6946364f9548fa176c9','0a32c4f8768e1668d45e901bbc0a9461','235fcc423d0d6022eb018580f035c109','{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": ""}','[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]','2026-01-01T00:00:00.000+00:00',0,'','[]',1,'0a4908437d247152b01cb31eca87ee7a');
INSERT INTO "campaigns" VALUES(4,'00000000000000000000000000000003','reading','esa','test','dddddddddddddddddddddddddddddddd','40c245e1ffc2a6946364f9548fa176c9','0a32c4f8768e1668d45e901bbc0a9461','235fcc423d0d6022eb018580f035c109','{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": ""}','[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]','2026-01-01T00:00:00.000+00:00',0,'Mark what is wrong.','[{"kind": "training", "source": "Quelle", "hypothesis": "a wrong word", "start": 2, "end": 7, "severity": "major", "low": 10.0, "high": 60.5, "explanation": "Why it is wrong.", "intact": "", "category": ""}]',1,'ff2dfac5fc66e97abdee997ca959fbe9');
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
	visitor VARCHAR(200) NOT NULL, seal VARCHAR(32) DEFAULT '' NOT NULL, 
	CONSTRAINT pk_coordinators PRIMARY KEY (campaign_id, visitor), 
	CONSTRAINT fk_coordinators_campaign_id_campaigns FOREIGN KEY(campaign_id) REFERENCES campaigns (id) ON DELETE CASCADE
);
CREATE TABLE ended (
	sign_in VARCHAR(32) NOT NULL, 
	at DOUBLE NOT NULL, 
	CONSTRAINT pk_ended PRIMARY KEY (sign_in)
);
CREATE TABLE links (
	id INTEGER NOT NULL, 
	campaign_id INTEGER NOT NULL, 
	annotator VARCHAR(200), 
	token VARCHAR(32) NOT NULL, expires DOUBLE, seal VARCHAR(32) DEFAULT '' NOT NULL, 
	CONSTRAINT pk_links PRIMARY KEY (id), 
	CONSTRAINT uq_links_token UNIQUE (token), 
	CONSTRAINT fk_links_campaign_id_campaigns FOREIGN KEY(campaign_id) REFERENCES campaigns (id) ON DELETE CASCADE
);
INSERT INTO "links" VALUES(1,1,NULL,'B6ao6NhwssiYPuuibfvsHA',NULL,'c4b8f1d31e2e874a6a72b9b83664f929');
INSERT INTO "links" VALUES(2,1,'ann','x4tJjbpGXCR_R8PmbM_ELA',NULL,'487ac09e7767dc33f32bd0a64a608b71');
INSERT INTO "links" VALUES(3,1,'bob','nnBFovL5jS41n2ccnC9DKA',NULL,'9e1cee987c61bf70ae50eaf3aae88111');
INSERT INTO "links" VALUES(4,2,NULL,'Tx05tPz29-HFg6j7ialfkA',NULL,'688617259705cf7c170de3da1eb38239');
INSERT INTO "links" VALUES(5,2,'ann','f5KvfW-J4X_yIBbtm9fawA',NULL,'b70e8429e4501bf0bd085e4063208573');
INSERT INTO "links" VALUES(6,2,'bob','z-N4VlIIZuQQynFo0fRfAw',NULL,'2fc25410dacd0c819168b75ae3193840');
INSERT INTO "links" VALUES(7,3,NULL,'uA-6N3p7cUKox7U4KBuwnQ',NULL,'1c1ddb9127090d43a46cacd71dcc0f92');
INSERT INTO "links" VALUES(8,3,'ann','qWLE0RUWjWhdPzL3SnWTxA',NULL,'578ed91619b19f1c5f8b6bb6c7cf1834');
INSERT INTO "links" VALUES(9,3,'bob','gD0Io5aHArRuuxiq0w-kUg',NULL,'407b2e3cbcbfddbcad5522bd9750df91');
INSERT INTO "links" VALUES(10,4,NULL,'cmb_cdaEPEPXUKjHzKEw-Q',NULL,'0e7cca5055f7080487d9b4231592c383');
INSERT INTO "links" VALUES(11,4,'ann','0kJnqP9nsXzzbrP_e4D39Q',NULL,'b361ac98d56fa972058a389174018791');
CREATE TABLE marks (
	id INTEGER NOT NULL, 
	task_id INTEGER NOT NULL, 
	side VARCHAR(16) NOT NULL, 
	span_start INTEGER NOT NULL, 
	span_end INTEGER NOT NULL, 
	category TEXT NOT NULL, 
	severity VARCHAR(16) NOT NULL, 
	comment TEXT NOT NULL, weight DOUBLE, origin TEXT DEFAULT '' NOT NULL, suggested VARCHAR(16) DEFAULT '' NOT NULL, is_rejected BOOLEAN DEFAULT 0 NOT NULL, seal VARCHAR(32) DEFAULT '' NOT NULL, 
	CONSTRAINT pk_marks PRIMARY KEY (id), 
	CONSTRAINT fk_marks_task_id_tasks FOREIGN KEY(task_id) REFERENCES tasks (id) ON DELETE CASCADE
);
INSERT INTO "marks" VALUES(1,37,'hypothesis',0,6,'Other','major','a remark',NULL,'','',0,'4bace44955e2ddf42d8d1633aaeb88e1');
INSERT INTO "marks" VALUES(2,73,'hypothesis',0,6,'Other','major','a remark',2.5,'xCOMET','minor',0,'9e442b356b0656ba479c8ec8c43a1934');
INSERT INTO "marks" VALUES(3,73,'hypothesis',0,6,'Other','major','a remark',2.5,'xCOMET','minor',1,'9a261146fb803602361cd11c07e2d2b7');
CREATE TABLE outputs (
	campaign_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	system TEXT NOT NULL, 
	run TEXT NOT NULL, 
	digest VARCHAR(32) NOT NULL, seal VARCHAR(32) DEFAULT '' NOT NULL, 
	CONSTRAINT pk_outputs PRIMARY KEY (campaign_id, position), 
	CONSTRAINT fk_outputs_campaign_id_campaigns FOREIGN KEY(campaign_id) REFERENCES campaigns (id) ON DELETE CASCADE, 
	CONSTRAINT fk_outputs_digest_contents FOREIGN KEY(digest) REFERENCES contents (digest)
);
INSERT INTO "outputs" VALUES(1,0,'system 0','0','05116fdf2b868e3a3da57450ee14a433','0c495d0df3ed6bd459bbecc36c97ad28');
INSERT INTO "outputs" VALUES(1,1,'system 1','0','1f3ee0f3d8192c643856739702687b95','bacdd9db876ba1ba43f6ffb143421e0f');
INSERT INTO "outputs" VALUES(2,0,'system 0','0','05116fdf2b868e3a3da57450ee14a433','a1e9d752546ad2ec319d0b1279d5bd8a');
INSERT INTO "outputs" VALUES(2,1,'system 1','0','1f3ee0f3d8192c643856739702687b95','43bac3950ba4f1a01450b3d25835b33c');
INSERT INTO "outputs" VALUES(3,0,'system 0','0','05116fdf2b868e3a3da57450ee14a433','0afa4b069c8eca514f198803075b59f3');
INSERT INTO "outputs" VALUES(3,1,'system 1','0','1f3ee0f3d8192c643856739702687b95','2dac99c1c064330879f21003672b3dcc');
INSERT INTO "outputs" VALUES(4,0,'system 0','0','05116fdf2b868e3a3da57450ee14a433','c4804bfed0f52ad4bb2ac93dbe79b659');
INSERT INTO "outputs" VALUES(4,1,'system 1','0','1f3ee0f3d8192c643856739702687b95','d9add2844fe8ce100e72a9e38171c4fc');
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
	updated_at VARCHAR(32) NOT NULL, score DOUBLE, control INTEGER, seal VARCHAR(32) DEFAULT '' NOT NULL, 
	CONSTRAINT pk_tasks PRIMARY KEY (id), 
	CONSTRAINT uq_tasks_campaign_id_annotator_position UNIQUE (campaign_id, annotator, position), 
	CONSTRAINT fk_tasks_campaign_id_campaigns FOREIGN KEY(campaign_id) REFERENCES campaigns (id) ON DELETE CASCADE
);
INSERT INTO "tasks" VALUES(1,1,'ann',0,5,'random',1,0,61.5,0.0,NULL,'a comment',1,'2026-11-25T10:25:45.329+00:00',NULL,NULL,'f205a5780a3acfce391f37867ecb134f');
INSERT INTO "tasks" VALUES(2,1,'ann',1,0,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'f4ebae1a5c3a91a47c245d2b478643f0');
INSERT INTO "tasks" VALUES(3,1,'ann',2,3,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'6fbb634f78d234f682ade21aeb47b136');
INSERT INTO "tasks" VALUES(4,1,'ann',3,4,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'607e026c94e00f78b3ed2a8499bb4612');
INSERT INTO "tasks" VALUES(5,1,'ann',4,3,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'024d67fb5e0d59dab6f5a07baeacc2e7');
INSERT INTO "tasks" VALUES(6,1,'ann',5,2,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'96232dde86764e5953ed6e94d3608773');
INSERT INTO "tasks" VALUES(7,1,'ann',6,1,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'4ad695e4e4d5f2170f4847ae5abd9463');
INSERT INTO "tasks" VALUES(8,1,'ann',7,1,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'02af9f792505361023fd3cf2bc9e209c');
INSERT INTO "tasks" VALUES(9,1,'ann',8,4,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'301a74fe800d9c704a809e50bb8cef4a');
INSERT INTO "tasks" VALUES(10,1,'ann',9,2,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'274cdd4132994ef4ab864153dd478c2f');
INSERT INTO "tasks" VALUES(11,1,'ann',10,0,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'040344ae84294d1b5a8bad7acf267ec8');
INSERT INTO "tasks" VALUES(12,1,'ann',11,5,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'b395f21d13e204d2a8b740415bd627fb');
INSERT INTO "tasks" VALUES(13,1,'bob',0,0,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'7dd98773ca1671e08d2f5af30312f21e');
INSERT INTO "tasks" VALUES(14,1,'bob',1,5,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'240e39dea11c5c3e7e4354a3eaa27e37');
INSERT INTO "tasks" VALUES(15,1,'bob',2,2,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'094b2f83ca07ad11d15cb7dbe742ed20');
INSERT INTO "tasks" VALUES(16,1,'bob',3,3,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'61550974e632f32de016cd193e9bc632');
INSERT INTO "tasks" VALUES(17,1,'bob',4,0,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'8baa0451412d99c39cc246ce6ffbf497');
INSERT INTO "tasks" VALUES(18,1,'bob',5,5,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'298677c6fe9d5fdc6fe3a2b06531d239');
INSERT INTO "tasks" VALUES(19,1,'bob',6,1,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'aabb2ff4a3f5d73a06036abcbd9db498');
INSERT INTO "tasks" VALUES(20,1,'bob',7,2,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'ae113c3015e24c1e0d130a247d5fc1d7');
INSERT INTO "tasks" VALUES(21,1,'bob',8,4,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'8cf118f3b639a6db6910f415fed3119c');
INSERT INTO "tasks" VALUES(22,1,'bob',9,1,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'25142c390882f7c6a9cb21d610477786');
INSERT INTO "tasks" VALUES(23,1,'bob',10,4,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'ce0a135392320394553f0c7a76494aa4');
INSERT INTO "tasks" VALUES(24,1,'bob',11,3,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'ad62d744ab1da8a73d13d14ece901130');
INSERT INTO "tasks" VALUES(25,2,'ann',0,0,'random',NULL,1,NULL,NULL,'second','a comment',1,'2026-11-25T10:25:45.481+00:00',NULL,NULL,'7a972e0755da8a5a25394c9464dffd62');
INSERT INTO "tasks" VALUES(26,2,'ann',1,5,'random',NULL,1,NULL,NULL,NULL,'',0,'',NULL,NULL,'53c66d7d95a299abc18021993cf2470d');
INSERT INTO "tasks" VALUES(27,2,'ann',2,1,'random',NULL,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'8772f831f6f423ca5f9d13d94c2123b2');
INSERT INTO "tasks" VALUES(28,2,'ann',3,2,'random',NULL,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'71c3156753ec8d11e8371af27e69fe49');
INSERT INTO "tasks" VALUES(29,2,'ann',4,4,'random',NULL,1,NULL,NULL,NULL,'',0,'',NULL,NULL,'485a225cdb854ca23554761603a83553');
INSERT INTO "tasks" VALUES(30,2,'ann',5,3,'random',NULL,1,NULL,NULL,NULL,'',0,'',NULL,NULL,'55b1d7b5672256b4f8ad312b4c443d0c');
INSERT INTO "tasks" VALUES(31,2,'bob',0,0,'random',NULL,1,NULL,NULL,NULL,'',0,'',NULL,NULL,'28bc689060ba5032351cf6527e1926d9');
INSERT INTO "tasks" VALUES(32,2,'bob',1,1,'random',NULL,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'c808adf2203f6abaa7f30d85d95dc867');
INSERT INTO "tasks" VALUES(33,2,'bob',2,4,'random',NULL,1,NULL,NULL,NULL,'',0,'',NULL,NULL,'b880d2c1b70fec64b2489a39aaf6da16');
INSERT INTO "tasks" VALUES(34,2,'bob',3,5,'random',NULL,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'58edff5e873094c607346d56a5d09d37');
INSERT INTO "tasks" VALUES(35,2,'bob',4,3,'random',NULL,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'ae11ed53a813608f1553a32c307475d3');
INSERT INTO "tasks" VALUES(36,2,'bob',5,2,'random',NULL,1,NULL,NULL,NULL,'',0,'',NULL,NULL,'1341b0f9922a2da5a4bdc72b4fbec45f');
INSERT INTO "tasks" VALUES(37,3,'ann',0,5,'random',1,0,NULL,NULL,NULL,'a comment',0,'2026-11-25T10:25:45.721+00:00',NULL,NULL,'45896ca94850e89c62a38e68fd9f9ba6');
INSERT INTO "tasks" VALUES(38,3,'ann',1,0,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'d13eb975708d6ee203091d7a9085616a');
INSERT INTO "tasks" VALUES(39,3,'ann',2,3,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'f31a38e44af766e3f23721555c0f431d');
INSERT INTO "tasks" VALUES(40,3,'ann',3,4,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'c0c0d0a58c2edec31bc6c1dbdc78bda9');
INSERT INTO "tasks" VALUES(41,3,'ann',4,3,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'e93ce127d799ea74c755281d73a3c5d7');
INSERT INTO "tasks" VALUES(42,3,'ann',5,2,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'7928c25704eab6cf84b2cc00b8a91edb');
INSERT INTO "tasks" VALUES(43,3,'ann',6,1,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'8a5c7c0272aff972b7c4edd223fc1014');
INSERT INTO "tasks" VALUES(44,3,'ann',7,1,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'e10ea49a7db7c7a9b3589669bcba4945');
INSERT INTO "tasks" VALUES(45,3,'ann',8,4,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'c17518cb62fd32a30ca3028c73ba1702');
INSERT INTO "tasks" VALUES(46,3,'ann',9,2,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'42ec14ee0cf9738e02c6ce28fcdb27b5');
INSERT INTO "tasks" VALUES(47,3,'ann',10,0,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'bad6895e93fc85c24a45b64adb5fe30e');
INSERT INTO "tasks" VALUES(48,3,'ann',11,5,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'61c2d2023dc7021984d3779e726c7aa7');
INSERT INTO "tasks" VALUES(49,3,'bob',0,0,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'247e25f837afe8aaf92f7cda7bdfd820');
INSERT INTO "tasks" VALUES(50,3,'bob',1,5,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'c131264ea5b5c2431c702a29b5ce792c');
INSERT INTO "tasks" VALUES(51,3,'bob',2,2,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'75bd3436b6eea4bbb6d77a3af2529fdc');
INSERT INTO "tasks" VALUES(52,3,'bob',3,3,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'11756e47dd41a4fc9013562b6bc91cbc');
INSERT INTO "tasks" VALUES(53,3,'bob',4,0,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'5e792dc4da063735db32193e994169cc');
INSERT INTO "tasks" VALUES(54,3,'bob',5,5,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'d7e59aa1586a1b765dc214f97cfb1a79');
INSERT INTO "tasks" VALUES(55,3,'bob',6,1,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'507c6266c4cadb9144e0160de045289b');
INSERT INTO "tasks" VALUES(56,3,'bob',7,2,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'b7ba5bdf011d8f39220cf2a4add0a042');
INSERT INTO "tasks" VALUES(57,3,'bob',8,4,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'1fa690e08eadf788da84af5e67510285');
INSERT INTO "tasks" VALUES(58,3,'bob',9,1,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'ccc5a16f1fde71ffabd439566d3281d8');
INSERT INTO "tasks" VALUES(59,3,'bob',10,4,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'d712f5ecbb0230328b2bbc1d578530cd');
INSERT INTO "tasks" VALUES(60,3,'bob',11,3,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'2cab60aa8467f0b8ca93f3c3220878ea');
INSERT INTO "tasks" VALUES(61,4,'ann',0,0,'training',1,0,NULL,NULL,NULL,'',0,'',NULL,0,'f5f47b2bf7a07c2292f28d34025d57b3');
INSERT INTO "tasks" VALUES(62,4,'ann',1,5,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'a88c52e97efaba89dd8db556bc896a7d');
INSERT INTO "tasks" VALUES(63,4,'ann',2,0,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'df7cb34d23a843ca6896f6cd254fc545');
INSERT INTO "tasks" VALUES(64,4,'ann',3,3,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'bd94a55c60e92b8e15a302e234bd19d6');
INSERT INTO "tasks" VALUES(65,4,'ann',4,4,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'be723018c4ffdc6cb3fb28af71a05858');
INSERT INTO "tasks" VALUES(66,4,'ann',5,3,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'fb7b3aeddbd331a875c50fcf174acb8f');
INSERT INTO "tasks" VALUES(67,4,'ann',6,2,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'1470d619b3743e0994054b6b3df89355');
INSERT INTO "tasks" VALUES(68,4,'ann',7,1,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'8516534e4cdee842d0ca0dfc8d65df63');
INSERT INTO "tasks" VALUES(69,4,'ann',8,1,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'1659be3430553657746c576fdc5b1008');
INSERT INTO "tasks" VALUES(70,4,'ann',9,4,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'d41d06dd849dc65e3b4b3533f5561036');
INSERT INTO "tasks" VALUES(71,4,'ann',10,2,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'4685612d131e099b0eb0b2577a137335');
INSERT INTO "tasks" VALUES(72,4,'ann',11,0,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'bab3c35e226c76940a8eb99e3d35fbb9');
INSERT INTO "tasks" VALUES(73,4,'ann',12,5,'random',0,0,NULL,NULL,NULL,'',1,'2026-11-25T10:25:45.846+00:00',61.5,NULL,'b6a0aeefe547e19d7ad758ededc0aa20');
CREATE INDEX ix_outputs_digest ON outputs (digest);
CREATE INDEX ix_marks_task_id ON marks (task_id);
CREATE INDEX ix_links_campaign_id ON links (campaign_id);
CREATE INDEX ix_coordinators_visitor ON coordinators (visitor);
COMMIT;
