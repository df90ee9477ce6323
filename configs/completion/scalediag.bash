# bash completion for scalediag: asks the program itself, so that it knows what this version knows.
_scalediag()
{
	local words=() typed=${COMP_WORDS[COMP_CWORD]} i word before='' line
	local program=${COMP_WORDS[0]} IFS=$'\n' # names of files may have blanks

	# bash takes --format=text apart at the '='; the program wants it whole
	for ((i = 1; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ ${#words[@]} -gt 0 && $word == '=' && ${words[-1]} == --* && ${words[-1]} != *=* ]]; then
			words[-1]+='='
			((i < COMP_CWORD)) || typed=
		elif [[ ${#words[@]} -gt 0 && ${COMP_WORDS[i - 1]} == '=' && ${words[-1]} == --*= ]]; then
			words[-1]+=$word
		else
			words+=("$word")
		fi
	done
	# a quote that is open, and what is behind a backslash, are the shell's
	local quote=
	case $typed in \'* | \"*) quote=${typed:0:1} ;; esac
	word=${words[-1]//[\\\'\"]/}
	words[-1]=$word
	[[ $word == --*=* && $COMP_WORDBREAKS == *=* ]] && before=${word%%=*}=
	typed=${word#"$before"}

	COMPREPLY=()
	while IFS= read -r line; do
		case $line in
		:files) compopt -o filenames; COMPREPLY+=($(compgen -f -- "$typed")) ;;
		:folders) compopt -o filenames; COMPREPLY+=($(compgen -d -- "$typed")) ;;
		:records)
			compopt -o filenames
			COMPREPLY+=($(compgen -d -- "$typed"; compgen -f -X '!*.json' -- "$typed")) ;;
		:programs)
			compopt -o filenames
			COMPREPLY+=($(compgen -c -- "$typed"; compgen -d -- "$typed")) ;;
		:program) compopt -o default; return ;;
		*)
			line=${line%%$'\t'*}
			line=${line#"$before"}
			[[ $line == *[=@] ]] && compopt -o nospace
			# a candidate with a blank is one word
			[[ $quote || $line != *' '* ]] || printf -v line %q "$line"
			COMPREPLY+=("$line") ;;
		esac
	done < <("$program" --complete "${words[@]}" 2>/dev/null)
}
complete -F _scalediag scalediag
