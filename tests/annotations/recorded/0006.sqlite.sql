BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0006');
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
INSERT INTO "links" VALUES(1,1,NULL,'QG2cbl_EINUp2aJWx6U93w',NULL,'368a37986c87a252f291a382a6df4159');
INSERT INTO "links" VALUES(2,1,'ann','7UTJ-D63M6ZbxUuPtJYFUw',NULL,'b7435d5a382373dbf39da172d5dd5577');
INSERT INTO "links" VALUES(3,1,'bob','4xYTUdAQpo1WkCyu_pNBQw',NULL,'6290bd5b1a2eabd661052bce96e4a589');
INSERT INTO "links" VALUES(4,2,NULL,'tYzugEXhnM8_itLjBWFQTQ',NULL,'4982a8c128650f7f208b6040bd1bf2c7');
INSERT INTO "links" VALUES(5,2,'ann','dkWqtDcieH2YbQyIy38-jQ',NULL,'2f510deb9dfe78632da6264533bb6425');
INSERT INTO "links" VALUES(6,2,'bob','9zjyNj5IkdLAaNH81BJoBQ',NULL,'3bc531a0719e8fec5eb9a3c1a804d87a');
INSERT INTO "links" VALUES(7,3,NULL,'M86eJN7RgtVTqR1qleQyPw',NULL,'cb07e8c4cdfef477cdf7c3be5f41e9dc');
INSERT INTO "links" VALUES(8,3,'ann','s-DKAuZKJPAlSg-L-aknuQ',NULL,'d7a62b2e47426b2abac361de6d0cffa0');
INSERT INTO "links" VALUES(9,3,'bob','kwwYmwum2wrCoZ7cRkHWfg',NULL,'697aac19ac22c8c1d76f817fcbc33df7');
INSERT INTO "links" VALUES(10,4,NULL,'2jHWcHtCx8xOpGzkxPSk3A',NULL,'34a2dbb5d1a5298cdfe21eaeb74ab484');
INSERT INTO "links" VALUES(11,4,'ann','tGVpmPt8I-E4YjcbJVlFzw',NULL,'c3666a4b03f7756da70ef9b63f6ab919');
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
	updated_at VARCHAR(32) NOT NULL, score DOUBLE, control INTEGER, seal VARCHAR(32) DEFAULT '' NOT NULL, revision INTEGER DEFAULT '0' NOT NULL, delivery VARCHAR(64) DEFAULT '' NOT NULL, seconds DOUBLE, paused DOUBLE, 
	CONSTRAINT pk_tasks PRIMARY KEY (id), 
	CONSTRAINT uq_tasks_campaign_id_annotator_position UNIQUE (campaign_id, annotator, position), 
	CONSTRAINT fk_tasks_campaign_id_campaigns FOREIGN KEY(campaign_id) REFERENCES campaigns (id) ON DELETE CASCADE
);
INSERT INTO "tasks" VALUES(1,1,'ann',0,5,'random',1,0,61.5,0.0,NULL,'a comment',1,'2026-11-25T16:02:14.860+00:00',NULL,NULL,'48c84f6f0d0c7fc7ce21dad8beae575b',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(2,1,'ann',1,0,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'7cee66cde4e4daa040963264c34df765',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(3,1,'ann',2,3,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'2599098a90773a2613d9157a4e505a8e',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(4,1,'ann',3,4,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'2ab8fe6966dda33704f6a0ac0c439d23',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(5,1,'ann',4,3,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'278accbb3c4a1403c4baec96d4d230ed',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(6,1,'ann',5,2,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'f3b10fbeafd26ee188009c77ae5105d4',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(7,1,'ann',6,1,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'47d7b81b220f6e69c4b00e2554f227a9',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(8,1,'ann',7,1,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'59106f7ed166ad731268ab3aad544fc2',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(9,1,'ann',8,4,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'03acd85c1ed7f66693835c8105fb2bee',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(10,1,'ann',9,2,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'b56aa26fc6d262f82664364a8b4dd85a',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(11,1,'ann',10,0,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'f1dee0f4294c03bd1cc60432cc7f8a1f',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(12,1,'ann',11,5,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'a25d862b6020b0dd9eeb3794bae31efb',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(13,1,'bob',0,0,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'7ca1e5666a3bff86d3444a568205fe37',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(14,1,'bob',1,5,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'9a84e76b6f72eca5f7688ca397481080',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(15,1,'bob',2,2,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'efce275e8274273d466daa57f4370ed4',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(16,1,'bob',3,3,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'45744c34dd4940e5928b8d61432f3615',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(17,1,'bob',4,0,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'29ef789b4dce8ca007930919ec752ce1',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(18,1,'bob',5,5,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'58c1b245d8c67f1c394650cce5de6974',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(19,1,'bob',6,1,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'d7010d89e6514d84baa69325dd0dbaf5',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(20,1,'bob',7,2,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'7108d69816067cd97e259c4b2aac73b3',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(21,1,'bob',8,4,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'58e172c86d0e66ebb0a8cdbf50270214',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(22,1,'bob',9,1,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'e338f8110afe7b372200bb5c30b7b436',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(23,1,'bob',10,4,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'b0d2392a7f93f993cf00f089d0268384',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(24,1,'bob',11,3,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'ff370f85a832e266ffae98a17a50e3bb',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(25,2,'ann',0,0,'random',NULL,1,NULL,NULL,'second','a comment',1,'2026-11-25T16:02:14.908+00:00',NULL,NULL,'6694b7bc935d174226277cabf00548bb',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(26,2,'ann',1,5,'random',NULL,1,NULL,NULL,NULL,'',0,'',NULL,NULL,'5929aae046c94838147161904ffe9118',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(27,2,'ann',2,1,'random',NULL,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'8aa8e654f343096de07c6d462b6b09ca',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(28,2,'ann',3,2,'random',NULL,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'83a770e0a3a110cd4f6d10327308f747',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(29,2,'ann',4,4,'random',NULL,1,NULL,NULL,NULL,'',0,'',NULL,NULL,'6525c6fbcf1fb92cf7dd0a50e1cf5055',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(30,2,'ann',5,3,'random',NULL,1,NULL,NULL,NULL,'',0,'',NULL,NULL,'f00e0691d03cc7c471a291884dd694be',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(31,2,'bob',0,0,'random',NULL,1,NULL,NULL,NULL,'',0,'',NULL,NULL,'e69c86d5a28193b6fe91bef3d9ea5949',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(32,2,'bob',1,1,'random',NULL,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'7284a51a50327547d90f8d46201f5829',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(33,2,'bob',2,4,'random',NULL,1,NULL,NULL,NULL,'',0,'',NULL,NULL,'b4cc09486eb58c512ef9a7f0599c6926',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(34,2,'bob',3,5,'random',NULL,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'be84a684cd401720b866a5ad376ae2ed',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(35,2,'bob',4,3,'random',NULL,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'31fbd6b27971a74740482356193d679b',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(36,2,'bob',5,2,'random',NULL,1,NULL,NULL,NULL,'',0,'',NULL,NULL,'34781d45331b647ae55500f0d4ed11b5',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(37,3,'ann',0,5,'random',1,0,NULL,NULL,NULL,'a comment',0,'2026-11-25T16:02:15.580+00:00',NULL,NULL,'aa73213170f0dbfe84b620c6555eb94a',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(38,3,'ann',1,0,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'0085ae796b31ec2d6502eaaea7b60aac',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(39,3,'ann',2,3,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'429112ccdbc447199c8ce3bef7ab645c',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(40,3,'ann',3,4,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'7b045a835c9091d145ea3b387d78a252',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(41,3,'ann',4,3,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'e5c459a64637a0959ebb4e93d526653b',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(42,3,'ann',5,2,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'d657a4a4e4c5d89c19d2d840e36b4a7c',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(43,3,'ann',6,1,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'23e3b2b7552398cb9fdcea1b10f7d13d',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(44,3,'ann',7,1,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'c460ca065f2a4a33fcc52c6145793cd3',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(45,3,'ann',8,4,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'4312fb32dab239fdd7393230c0455ac8',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(46,3,'ann',9,2,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'4d50ad29eda11bc79ee996ee6a3cbda1',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(47,3,'ann',10,0,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'161f15573a4089c463199ebc4850757e',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(48,3,'ann',11,5,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'e04ac983498cbc80736d8d89250fa13d',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(49,3,'bob',0,0,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'822135eefdd7609f417e44653e83baae',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(50,3,'bob',1,5,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'77ec6c734c14624bdc41ca484563e292',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(51,3,'bob',2,2,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'f856f3f5777ace59940321cf7e294613',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(52,3,'bob',3,3,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'0a8e855e567aaede303efff4ac996b3f',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(53,3,'bob',4,0,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'45790b1480277ba23540673b7a8544cf',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(54,3,'bob',5,5,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'2160e02c1c798e9180a04f8b7c43a33a',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(55,3,'bob',6,1,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'962f0f30cf531c81eb8d8098286497fc',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(56,3,'bob',7,2,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'72d9bec7107f88ab3ad9a4e270b7b127',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(57,3,'bob',8,4,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'a96a3b641a8938e404e082572a370307',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(58,3,'bob',9,1,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'f814b593ce2fbc95c76ecdcead537a47',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(59,3,'bob',10,4,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'2367f9aa2237a188e47c65dd1b046b46',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(60,3,'bob',11,3,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'19cab479a900a0ece724811ef701d1a5',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(61,4,'ann',0,0,'training',1,0,NULL,NULL,NULL,'',0,'',NULL,0,'a4c8804d127b86445b4cb54f7a673180',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(62,4,'ann',1,5,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'28b1350544fa53ab9e0d948beba2a54e',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(63,4,'ann',2,0,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'9ae33abc5928fe3fe2ffeb65dbc449b2',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(64,4,'ann',3,3,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'748962b7f8c0d4e655ab1511d797d921',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(65,4,'ann',4,4,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'2029f3d24bbe39362e20663b1abdff76',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(66,4,'ann',5,3,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'3e7024464f8d3dabe59bf86e50484fae',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(67,4,'ann',6,2,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'1d61ab2980ceba283920b9bc6ae3e7ac',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(68,4,'ann',7,1,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'0010f19c50c8e5fc9207d261e948ac3d',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(69,4,'ann',8,1,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'690a0de71ed7ae9ea0474e8a93fa95e5',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(70,4,'ann',9,4,'random',0,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'6591b76789f461b10ad6bceb6d3d7163',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(71,4,'ann',10,2,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'d55d58e1eba2bdc537f050059753127a',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(72,4,'ann',11,0,'random',1,0,NULL,NULL,NULL,'',0,'',NULL,NULL,'9762f39125ddc8e6937baebafb79644f',0,'',NULL,NULL);
INSERT INTO "tasks" VALUES(73,4,'ann',12,5,'random',0,0,NULL,NULL,NULL,'',1,'2026-11-25T16:02:16.208+00:00',61.5,NULL,'21de51e6343c025d56fc92ef0e700c38',0,'',NULL,NULL);
CREATE INDEX ix_outputs_digest ON outputs (digest);
CREATE INDEX ix_marks_task_id ON marks (task_id);
CREATE INDEX ix_links_campaign_id ON links (campaign_id);
CREATE INDEX ix_coordinators_visitor ON coordinators (visitor);
COMMIT;
