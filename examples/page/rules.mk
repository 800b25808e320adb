# page: a web page that shows a filter at work, in one file
#   make page             build build/page.html: see a filter in the browser
#   make check-page       use the page in chromium, as a person would; 2 min
# * make page-picture     take the picture in README.md

CHECKS += check-page
PACKAGES += clang lld nodejs npm gcc chromium fonts-dejavu-core

page: | build
	@sh examples/page/make_page.sh

check-page: page all
	@sh examples/page/tests/run.sh

page-picture: page
	@sh examples/page/tests/run.sh picture
	cp build/shots/page.png examples/page
.PHONY: page check-page page-picture
