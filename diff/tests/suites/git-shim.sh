#!/bin/sh
# Stands before git while its test scripts run: does what git does, and records what it was given and what it gave.
# RECTO_GIT is the git to run, RECTO_LOG the folder of records, one folder each.
real=$RECTO_GIT

quoted () {
	printf " '%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"
}

# The options before the command, and the command.
globals= command= skip=
for arg
do
	if test -n "$skip"
	then
		globals="$globals$(quoted "$arg")"
		skip=
		continue
	fi
	case "$arg" in
	-c | -C | --git-dir | --work-tree | --namespace)
		globals="$globals$(quoted "$arg")"
		skip=t
		;;
	-*) globals="$globals$(quoted "$arg")" ;;
	*)
		command=$arg
		break
		;;
	esac
done

ask () {
	eval "\"\$real\" $globals \"\$@\"" 2>/dev/null
}

# A new record: what was asked for, and what is configured.
record () {
	rec=$(mktemp -d "$RECTO_LOG/$1.XXXXXX") || exit 1
	shift
	for arg
	do
		printf '%s\n' "$arg"
	done >"$rec/args"
	ask config --list >"$rec/config"
	ask rev-parse --path-format=absolute --git-path objects >"$rec/objects"
}

has () {
	wanted=$1
	shift
	for arg
	do
		test "$arg" = "$wanted" && return 0
	done
	return 1
}

# The paths in conflict: their stages, what lies on disk, and what git says of them.
conflicts () {
	ask ls-files -u >"$RECTO_LOG/unmerged.tmp"
	test -s "$RECTO_LOG/unmerged.tmp" || return 0
	record conflict "$@"
	top=$(ask rev-parse --show-toplevel)
	(
		cd "$top" || exit
		"$real" ls-files -u >"$rec/stages"
		"$real" status --porcelain >"$rec/status" 2>/dev/null
		while IFS='	' read -r meta path
		do
			set -- $meta
			number=$(printf '%s' "$path" | cksum | cut -d' ' -f1)
			printf '%s' "$path" >"$rec/$number.path"
			printf '%s' "$1" >"$rec/$number.mode$3"
			"$real" cat-file --filters --path="$path" "$2" >"$rec/$number.stage$3" 2>/dev/null ||
			rm -f "$rec/$number.stage$3"
			test -f "$path" && test ! -L "$path" && cp "$path" "$rec/$number.file"
		done <"$rec/stages"
	)
	rm -f "$RECTO_LOG/unmerged.tmp"
}

# Keeps the contents on disk that a diff may be about, so that they are found by their ids.
keep_contents () {
	GIT_ALTERNATE_OBJECT_DIRECTORIES=$(cat "$rec/objects")
	test -n "$GIT_ALTERNATE_OBJECT_DIRECTORIES" && export GIT_ALTERNATE_OBJECT_DIRECTORIES
	top=$(ask rev-parse --show-toplevel)
	if test -n "$top"
	then
		(
			cd "$top" || exit
			"$real" ls-files -m -o --exclude-standard 2>/dev/null | while read -r path
			do
				test -f "$path" &&
				GIT_OBJECT_DIRECTORY="$RECTO_LOG/objects" "$real" hash-object -w -- "$path" >/dev/null 2>&1
			done
		)
	fi
	if has --no-index "$@" || test -z "$top"
	then
		for arg
		do
			test -e "$arg" && find "$arg" -type f | while read -r path
			do
				GIT_DIR="$RECTO_LOG/store.git" GIT_OBJECT_DIRECTORY="$RECTO_LOG/objects" \
				"$real" hash-object -w --no-filters -- "$path" >/dev/null 2>&1
			done
		done
	fi
	unset GIT_ALTERNATE_OBJECT_DIRECTORIES
}

case "$command" in
merge-file)
	record merge-file "$@"
	one= two= three=
	for arg
	do
		one=$two two=$three three=$arg
	done
	side () {
		if has --object-id "$@"
		then
			ask cat-file blob "$side"
		else
			cat "$side" 2>/dev/null
		fi
	}
	side=$one && side "$@" >"$rec/ours"
	side=$two && side "$@" >"$rec/base"
	side=$three && side "$@" >"$rec/theirs"
	"$real" "$@" >"$rec/stdout"
	code=$?
	cat "$rec/stdout"
	echo $code >"$rec/code"
	if has -p "$@" || has --stdout "$@"
	then
		cp "$rec/stdout" "$rec/result"
	elif has --object-id "$@"
	then
		ask cat-file blob "$(cat "$rec/stdout")" >"$rec/result"
	else
		cp "$one" "$rec/result" 2>/dev/null
	fi
	exit $code
	;;
merge | merge-recursive | merge-ort | rebase | cherry-pick | revert | am | pull | stash | checkout | apply)
	"$real" "$@"
	code=$?
	conflicts "$@"
	exit $code
	;;
mergetool)
	conflicts "$@"
	;;
difftool)
	if ! has --tool-help "$@" && ! has -h "$@"
	then
		record difftool "$@"
		words= skip=t
		for arg
		do
			case "$arg" in
			difftool) skip= && continue ;;
			-t | --tool | -x | --extcmd) skip=next && continue ;;
			-t* | --tool* | -x* | --extcmd* | -g | --gui | --no-gui | --prompt | -y | --no-prompt) continue ;;
			--trust-exit-code | --no-trust-exit-code) continue ;;
			esac
			test -z "$skip" && words="$words$(quoted "$arg")"
			test "$skip" = next && skip=
		done
		RECTO_RECORD=$rec
		export RECTO_RECORD
		eval "ask difftool --no-prompt --extcmd=\"\$RECTO_LOG/keep-pair\" $words" >/dev/null </dev/null
	fi
	;;
diff | diff-tree | diff-index | diff-files | show | log | whatchanged | format-patch)
	if ! has --stdin "$@" && { test "$command" != format-patch || has --stdout "$@"; }
	then
		record diff "$@"
		keep_contents "$@"
		"$real" -c core.abbrev=40 "$@" >"$rec/output" 2>/dev/null </dev/null
	fi
	;;
esac
exec "$real" "$@"
