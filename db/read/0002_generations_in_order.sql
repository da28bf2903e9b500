-- API processes ask what was raised lately, once a second.
create index organizations_by_generation on content_read.organizations (generation);
