BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_alembic_version PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0008');
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
	instructions TEXT NOT NULL, 
	controls JSON NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	is_closed BOOLEAN NOT NULL, 
	definitions INTEGER NOT NULL, 
	seal VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_campaigns PRIMARY KEY (id), 
	CONSTRAINT uq_campaigns_uid UNIQUE (uid), 
	CONSTRAINT fk_campaigns_reference_texts_contents FOREIGN KEY(reference_texts) REFERENCES contents (digest), 
	CONSTRAINT fk_campaigns_source_contents FOREIGN KEY(source) REFERENCES contents (digest), 
	CONSTRAINT fk_campaigns_documents_contents FOREIGN KEY(documents) REFERENCES contents (digest)
);
INSERT INTO "campaigns" VALUES(1,'00000000000000000000000000000000','reading','rating','test','dddddddddddddddddddddddddddddddd','fe5744a14aa3b0bbc960b7393c012cff','a96fea9d9b42af8327bfebf3f8afb168','0a8540706fdcc9196a1de29611e08a0c','{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": "", "probabilities": [], "side_by_side": 0, "is_adaptive": false, "is_merged": false}','[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]','','[]','2026-01-01T00:00:00.000+00:00',0,1,'0e40353253f07f11afcc30fb8c8abef4');
INSERT INTO "campaigns" VALUES(2,'00000000000000000000000000000001','reading','preference','test','dddddddddddddddddddddddddddddddd','fe5744a14aa3b0bbc960b7393c012cff','a96fea9d9b42af8327bfebf3f8afb168','0a8540706fdcc9196a1de29611e08a0c','{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": "", "probabilities": [], "side_by_side": 0, "is_adaptive": false, "is_merged": false}','[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]','','[]','2026-01-01T00:00:00.000+00:00',0,1,'122b606fbe7e303eb4264fe4fe56157e');
INSERT INTO "campaigns" VALUES(3,'00000000000000000000000000000002','reading','errors','test','dddddddddddddddddddddddddddddddd','fe5744a14aa3b0bbc960b7393c012cff','a96fea9d9b42af8327bfebf3f8afb168','0a8540706fdcc9196a1de29611e08a0c','{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": "", "probabilities": [], "side_by_side": 0, "is_adaptive": false, "is_merged": false}','[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]','','[]','2026-01-01T00:00:00.000+00:00',0,1,'0699fc89c42e94f50098ec951d7dc62e');
INSERT INTO "campaigns" VALUES(4,'00000000000000000000000000000003','reading','esa','test','dddddddddddddddddddddddddddddddd','fe5744a14aa3b0bbc960b7393c012cff','a96fea9d9b42af8327bfebf3f8afb168','0a8540706fdcc9196a1de29611e08a0c','{"chosen_on": "dev", "metric": "bleu", "random": 4, "improvements": 1, "declines": 1, "shared": null, "seed": 7, "by_document": false, "checks": 0, "prefilled_by": "", "probabilities": [], "side_by_side": 0, "is_adaptive": false, "is_merged": false}','[{"name": "Accuracy/Addition", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Omission", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Mistranslation", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Accuracy/Untranslated text", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Character encoding", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Grammar", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Inconsistency", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Register", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Fluency/Spelling", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Address format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Currency format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Date format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Name format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Telephone format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Locale convention/Time format", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Style/Awkward", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inappropriate for context", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Terminology/Inconsistent use", "minor": 1.0, "major": 5.0, "critical": 25.0}, {"name": "Non-translation!", "minor": 1.0, "major": 25.0, "critical": 25.0}, {"name": "Source error", "minor": 0.0, "major": 0.0, "critical": 0.0}, {"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}]','Mark what is wrong.','[{"kind": "training", "source": "Quelle", "hypothesis": "a wrong word", "start": 2, "end": 7, "severity": "major", "low": 10.0, "high": 60.5, "explanation": "Why it is wrong.", "intact": "", "category": ""}]','2026-01-01T00:00:00.000+00:00',0,1,'50793b1a7f753da0cb481ac070ac9274');
CREATE TABLE contents (
	digest VARCHAR(32) NOT NULL, 
	texts JSON NOT NULL, 
	CONSTRAINT pk_contents PRIMARY KEY (digest)
);
INSERT INTO "contents" VALUES('fe5744a14aa3b0bbc960b7393c012cff','[["reference 0"], ["reference 1", "a\u0000b \ud800 <script>alert(1)</script> **x** $y$ :smile: \u2028 \u202e ''q'' \"r\"; DROP TABLE tasks; \ud83d\ude42"], ["reference 2"], ["reference 3", "a\u0000b \ud800 <script>alert(1)</script> **x** $y$ :smile: \u2028 \u202e ''q'' \"r\"; DROP TABLE tasks; \ud83d\ude42"], ["reference 4"], ["reference 5", "a\u0000b \ud800 <script>alert(1)</script> **x** $y$ :smile: \u2028 \u202e ''q'' \"r\"; DROP TABLE tasks; \ud83d\ude42"]]');
INSERT INTO "contents" VALUES('a96fea9d9b42af8327bfebf3f8afb168','["Quelle 0", "Quelle 1", "Quelle 2", "Quelle 3", "Quelle 4", "Quelle 5"]');
INSERT INTO "contents" VALUES('0a8540706fdcc9196a1de29611e08a0c','["a", "a", "a", "b", "b", "b"]');
INSERT INTO "contents" VALUES('05116fdf2b868e3a3da57450ee14a433','["output 0 of 0", "output 0 of 1", "output 0 of 2", "output 0 of 3", "output 0 of 4", "output 0 of 5"]');
INSERT INTO "contents" VALUES('1f3ee0f3d8192c643856739702687b95','["output 1 of 0", "output 1 of 1", "output 1 of 2", "output 1 of 3", "output 1 of 4", "output 1 of 5"]');
CREATE TABLE coordinators (
	campaign_id INTEGER NOT NULL, 
	visitor VARCHAR(200) NOT NULL, 
	seal VARCHAR(32) NOT NULL, 
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
	token VARCHAR(32) NOT NULL, 
	expires DOUBLE, 
	seal VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_links PRIMARY KEY (id), 
	CONSTRAINT fk_links_campaign_id_campaigns FOREIGN KEY(campaign_id) REFERENCES campaigns (id) ON DELETE CASCADE, 
	CONSTRAINT uq_links_token UNIQUE (token)
);
INSERT INTO "links" VALUES(1,1,NULL,'CpAfBelCkHQ5LfXj4A9shw',NULL,'47e64d3b10107534d3bd01f7343a3624');
INSERT INTO "links" VALUES(2,1,'ann','fCkc4ehd2BNzT6oPdzXufA',NULL,'39825d5a4fd1dd17ba6b42afa6b8ad31');
INSERT INTO "links" VALUES(3,1,'bob','czIvZS9IAR3k2ffXGV-9sw',NULL,'dcbef6e5b958a8412d7160c34480e929');
INSERT INTO "links" VALUES(4,2,NULL,'RZhhfS9BHg6BhinEpTJIYg',NULL,'1aabae139223c72d5ed466e22d078191');
INSERT INTO "links" VALUES(5,2,'ann','y1Y0EOE7Cljx-KXGc6mdnQ',NULL,'92c1247000e2f55188eb815282b7bd31');
INSERT INTO "links" VALUES(6,2,'bob','-I9WsdBeHhqOWnPf5GvFYQ',NULL,'88143b3e4472c3b75368f40dd1153ca6');
INSERT INTO "links" VALUES(7,3,NULL,'ZGL5EfhvohZkk_RmiSkEyg',NULL,'1e2c88ed3a79a38aa635eafd5a0993e6');
INSERT INTO "links" VALUES(8,3,'ann','k51w7CfoQp_eWfHbG5shMA',NULL,'bae5e15ec0ee93944422c9b46de687ff');
INSERT INTO "links" VALUES(9,3,'bob','WM9I5fBV0NOIcj1AIzQ2Hw',NULL,'d36d49ccd3e259b341356672e672fb4e');
INSERT INTO "links" VALUES(10,4,NULL,'kgeJCyUKaDJ5bAv5O9eQ1Q',NULL,'e08683a7c23dc29c2f88adef09d102ee');
INSERT INTO "links" VALUES(11,4,'ann','12vbnr3xTh8IFet9PACTwQ',NULL,'c1ca8cb8b9d8bb8908ee53725ac374d5');
CREATE TABLE marks (
	id INTEGER NOT NULL, 
	task_id INTEGER NOT NULL, 
	side VARCHAR(16) NOT NULL, 
	span_start INTEGER NOT NULL, 
	span_end INTEGER NOT NULL, 
	category TEXT NOT NULL, 
	severity VARCHAR(16) NOT NULL, 
	comment TEXT NOT NULL, 
	weight DOUBLE, 
	origin TEXT NOT NULL, 
	suggested VARCHAR(16) NOT NULL, 
	is_rejected BOOLEAN NOT NULL, 
	seal VARCHAR(32) NOT NULL, 
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
	digest VARCHAR(32) NOT NULL, 
	seal VARCHAR(32) NOT NULL, 
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
	score DOUBLE, 
	preference VARCHAR(16), 
	control INTEGER, 
	comment TEXT NOT NULL, 
	is_complete BOOLEAN NOT NULL, 
	updated_at VARCHAR(32) NOT NULL, 
	revision INTEGER NOT NULL, 
	delivery VARCHAR(64) NOT NULL, 
	seconds DOUBLE, 
	paused DOUBLE, 
	probability DOUBLE, 
	is_automatic BOOLEAN NOT NULL, 
	seal VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_tasks PRIMARY KEY (id), 
	CONSTRAINT uq_tasks_campaign_id_annotator_position UNIQUE (campaign_id, annotator, position), 
	CONSTRAINT fk_tasks_campaign_id_campaigns FOREIGN KEY(campaign_id) REFERENCES campaigns (id) ON DELETE CASCADE
);
INSERT INTO "tasks" VALUES(1,1,'ann',0,5,'random',1,0,61.5,0.0,NULL,NULL,NULL,'a comment',1,'2026-11-29T20:45:50.773+00:00',2,'a6127a6f10c34eff920edc5ca56f3044 1',NULL,NULL,NULL,0,'f62cb8aa459945be4e0d7db143e54e7e');
INSERT INTO "tasks" VALUES(2,1,'ann',1,0,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'5c1964792727a50d29c3206830eb66be');
INSERT INTO "tasks" VALUES(3,1,'ann',2,3,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'736808e7cabe7107b6ba932eeac04b82');
INSERT INTO "tasks" VALUES(4,1,'ann',3,4,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'6b5c46edca9a200f051147dc823d7c67');
INSERT INTO "tasks" VALUES(5,1,'ann',4,3,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'31d571de9181de090d271781b9ced8f7');
INSERT INTO "tasks" VALUES(6,1,'ann',5,2,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'911909336519507d7286c7fd9c26f3b4');
INSERT INTO "tasks" VALUES(7,1,'ann',6,1,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'5a4075786d035ca3f8896cce3669a0ab');
INSERT INTO "tasks" VALUES(8,1,'ann',7,1,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'b8e71068e3f81ef9814eca47b8d34740');
INSERT INTO "tasks" VALUES(9,1,'ann',8,4,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'ad7bc716baa3496622bfee6a8d443800');
INSERT INTO "tasks" VALUES(10,1,'ann',9,2,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'6fb131db335bdd78bca09aaa621dc260');
INSERT INTO "tasks" VALUES(11,1,'ann',10,0,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'40c376af2ceb8dbc9ffca2699ee18b12');
INSERT INTO "tasks" VALUES(12,1,'ann',11,5,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'56d64ea1d4b438c7a5bb2296f80f8f79');
INSERT INTO "tasks" VALUES(13,1,'bob',0,0,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'a6ac9dd4d27eb431660bc9d84a6ad7e9');
INSERT INTO "tasks" VALUES(14,1,'bob',1,5,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'e682f6e4f7351d21f17d28cc59976281');
INSERT INTO "tasks" VALUES(15,1,'bob',2,2,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'1c5af894f40bbef5cd0bd7fb11b8fab7');
INSERT INTO "tasks" VALUES(16,1,'bob',3,3,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'9b7badc82252b085209ef4b061626059');
INSERT INTO "tasks" VALUES(17,1,'bob',4,0,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'3e7f28816a3a32fa371331d52631c308');
INSERT INTO "tasks" VALUES(18,1,'bob',5,5,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'8d680a45dc8427e65993725e9cb70f4e');
INSERT INTO "tasks" VALUES(19,1,'bob',6,1,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'156bb6347e913fa99e5082072af56e91');
INSERT INTO "tasks" VALUES(20,1,'bob',7,2,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'94f9d6daffc8e8b9c082a5d51b8bfaea');
INSERT INTO "tasks" VALUES(21,1,'bob',8,4,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'a8b68ee3ba2f30af120b28a2067925c5');
INSERT INTO "tasks" VALUES(22,1,'bob',9,1,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'64899b3b4ca6d1b48e52c154407f96a1');
INSERT INTO "tasks" VALUES(23,1,'bob',10,4,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'63399d3d85cce17d464d4f23408bcb6c');
INSERT INTO "tasks" VALUES(24,1,'bob',11,3,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'37aa60bd582f53a41d6886e711c95c2d');
INSERT INTO "tasks" VALUES(25,2,'ann',0,0,'random',NULL,1,NULL,NULL,NULL,'second',NULL,'a comment',1,'2026-11-29T20:45:51.108+00:00',2,'0d38e21817d640878615d067f46ea4e4 1',NULL,NULL,NULL,0,'57a993bbb6c0194c9858ff904074c058');
INSERT INTO "tasks" VALUES(26,2,'ann',1,5,'random',NULL,1,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'f11fbe764464b0f912c2436534f07520');
INSERT INTO "tasks" VALUES(27,2,'ann',2,1,'random',NULL,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'42943b1276df909a0b522a1193d9515a');
INSERT INTO "tasks" VALUES(28,2,'ann',3,2,'random',NULL,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'11f4ee74a481b1158bcd66616bf420c0');
INSERT INTO "tasks" VALUES(29,2,'ann',4,4,'random',NULL,1,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'c7224bb0a26489bd1abb808505e0c5e3');
INSERT INTO "tasks" VALUES(30,2,'ann',5,3,'random',NULL,1,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'9dd92934def61262fda44c2e9c1db771');
INSERT INTO "tasks" VALUES(31,2,'bob',0,0,'random',NULL,1,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'a1ce2d5e5aa9dfde99820e55b7a79afc');
INSERT INTO "tasks" VALUES(32,2,'bob',1,1,'random',NULL,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'f6167418ff4baee9522f7d19a0dc8f72');
INSERT INTO "tasks" VALUES(33,2,'bob',2,4,'random',NULL,1,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'76e8c1788d51e846b3056b3707fea281');
INSERT INTO "tasks" VALUES(34,2,'bob',3,5,'random',NULL,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'0f556fddc68813eee542692446799ec6');
INSERT INTO "tasks" VALUES(35,2,'bob',4,3,'random',NULL,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'a3ca612ae0f717021540cfec786410d9');
INSERT INTO "tasks" VALUES(36,2,'bob',5,2,'random',NULL,1,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'e4d904f2f2c1f76ff177750a1bd8ca18');
INSERT INTO "tasks" VALUES(37,3,'ann',0,5,'random',1,0,NULL,NULL,NULL,NULL,NULL,'a comment',0,'2026-11-29T20:45:51.587+00:00',2,'2e70dc90fba4499a8fbd8c23db8d4d28 1',NULL,NULL,NULL,0,'210fd530b216458b7931b862210213d6');
INSERT INTO "tasks" VALUES(38,3,'ann',1,0,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'4e7de912449c5db56247846d04e949df');
INSERT INTO "tasks" VALUES(39,3,'ann',2,3,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'05aba1455b9caffc557eb3a6df18788e');
INSERT INTO "tasks" VALUES(40,3,'ann',3,4,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'ef6e775c94f3f4a539da47cfbca4d148');
INSERT INTO "tasks" VALUES(41,3,'ann',4,3,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'503ca2b463d37ba0008ae8caa8258a1a');
INSERT INTO "tasks" VALUES(42,3,'ann',5,2,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'4655c07854d3aa12a5d61d50f60d53ae');
INSERT INTO "tasks" VALUES(43,3,'ann',6,1,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'29802b8edfce2dbe350d6e3d96b0e379');
INSERT INTO "tasks" VALUES(44,3,'ann',7,1,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'7f917c7511a7efb8447bc70097f8edd1');
INSERT INTO "tasks" VALUES(45,3,'ann',8,4,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'9042916936ed67a0ddf74c27eaa7f8a7');
INSERT INTO "tasks" VALUES(46,3,'ann',9,2,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'b1057522ea7989e217c0c7af8608fc45');
INSERT INTO "tasks" VALUES(47,3,'ann',10,0,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'fcf0bd01e37b0411e5962b41f8441655');
INSERT INTO "tasks" VALUES(48,3,'ann',11,5,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'c5afc1b3892f4173b4569025a269f6c9');
INSERT INTO "tasks" VALUES(49,3,'bob',0,0,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'a3c2db3b99ad75c5150f1bcf5e2245d5');
INSERT INTO "tasks" VALUES(50,3,'bob',1,5,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'9a4d9eb46bee702acbcc9601788b21fa');
INSERT INTO "tasks" VALUES(51,3,'bob',2,2,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'c9b74333875addc8e43d76b54c94e67b');
INSERT INTO "tasks" VALUES(52,3,'bob',3,3,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'667b7d17e0b8c507061aee79b8c5e670');
INSERT INTO "tasks" VALUES(53,3,'bob',4,0,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'5e7f661207213aeae3412e26abb05e6c');
INSERT INTO "tasks" VALUES(54,3,'bob',5,5,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'f0cdf867766266074cf563c41a5fc204');
INSERT INTO "tasks" VALUES(55,3,'bob',6,1,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'2fd291d1ac5032d34ba0efab0a95ddf9');
INSERT INTO "tasks" VALUES(56,3,'bob',7,2,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'5da6709b95acba8e16448cbf93bca10d');
INSERT INTO "tasks" VALUES(57,3,'bob',8,4,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'719e24dbbf3106058792ee55da03ff39');
INSERT INTO "tasks" VALUES(58,3,'bob',9,1,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'22558be412deffb22524b429450e2275');
INSERT INTO "tasks" VALUES(59,3,'bob',10,4,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'cdc0d013e0723b3fb7b99dbbc6586c4e');
INSERT INTO "tasks" VALUES(60,3,'bob',11,3,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'3686d0a063ad8932cf169623b278a58c');
INSERT INTO "tasks" VALUES(61,4,'ann',0,0,'training',1,0,NULL,NULL,NULL,NULL,0,'',0,'',0,'',NULL,NULL,NULL,0,'cb6bee0976df7b0e1ee91c94f49e9564');
INSERT INTO "tasks" VALUES(62,4,'ann',1,5,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'60ac8212e7326a2286f950d3c1e09635');
INSERT INTO "tasks" VALUES(63,4,'ann',2,0,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'3a9e072cf168521a53e932161f296caf');
INSERT INTO "tasks" VALUES(64,4,'ann',3,3,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'126b0559ecdc36ad60182192150ad879');
INSERT INTO "tasks" VALUES(65,4,'ann',4,4,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'e5c50d6d85dd97ba9ae63580897ff9ea');
INSERT INTO "tasks" VALUES(66,4,'ann',5,3,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'fc014ba763662fb503c4ee8131fb77af');
INSERT INTO "tasks" VALUES(67,4,'ann',6,2,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'4f9fe4f31a6be2f204b9d3f5b27b974a');
INSERT INTO "tasks" VALUES(68,4,'ann',7,1,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'273dd9eacdad94aaf132504f1914e65f');
INSERT INTO "tasks" VALUES(69,4,'ann',8,1,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'547981f5020fa33786fab16918813d63');
INSERT INTO "tasks" VALUES(70,4,'ann',9,4,'random',0,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'a479b3f91595f37ef1c89ca3b21cfe55');
INSERT INTO "tasks" VALUES(71,4,'ann',10,2,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'24242da994f14ba86e7651d1195c930f');
INSERT INTO "tasks" VALUES(72,4,'ann',11,0,'random',1,0,NULL,NULL,NULL,NULL,NULL,'',0,'',0,'',NULL,NULL,NULL,0,'c961e3a522473d99debb2d24c59af7ee');
INSERT INTO "tasks" VALUES(73,4,'ann',12,5,'random',0,0,NULL,NULL,61.5,NULL,NULL,'',1,'2026-11-29T20:45:51.761+00:00',1,'75a6c4cebf7b4a1798f8b249b31af721 1',NULL,NULL,NULL,0,'23b3b1fbfe651ec893c7d53b480f4a24');
CREATE INDEX ix_outputs_digest ON outputs (digest);
CREATE INDEX ix_links_campaign_id ON links (campaign_id);
CREATE INDEX ix_coordinators_visitor ON coordinators (visitor);
CREATE INDEX ix_marks_task_id ON marks (task_id);
COMMIT;
