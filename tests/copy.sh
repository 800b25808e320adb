# Copies this tree to a folder, where its targets can be made without touching
# build/ here. What was built there before stays: make builds it again only if
# its sources changed.
# usage: copy.sh FOLDER
mkdir -p "$1" || exit
find "$1" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
for file in * .ci .gitignore; do
    [ "$file" = build ] || cp -pR "$file" "$1" || exit
done
