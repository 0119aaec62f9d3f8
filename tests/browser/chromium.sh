#!/bin/sh
# Print the path of a Chromium or Chrome; install Debian's where that is possible. The browser tests are never skipped.
find_browser() {
    for name in chromium chromium-browser google-chrome google-chrome-stable chrome; do
        command -v "$name" && return
    done
    return 1
}
find_browser && exit
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    echo "adviz: installing chromium for the browser tests (a minute or two)" >&2
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq < /dev/null >&2 && apt-get install -y -qq chromium fonts-dejavu-core < /dev/null > /dev/null
    find_browser && exit
fi
echo "adviz: the browser tests need Chromium or Chrome on PATH: install one and run again" >&2
exit 1
