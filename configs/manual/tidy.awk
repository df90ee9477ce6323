# What scdoc writes, without the empty paragraphs that mandoc -Tlint names, and with the title in capitals.
/^\.P$/ { paragraph = !heading; next }
/^\.(SH|SS|RE)/ { paragraph = 0 }
{
	if (paragraph)
		print ".P"
	paragraph = 0
	heading = /^\.(SH|SS|TH) /
	if ($1 == ".TH")
		$2 = toupper($2)
	print
}
