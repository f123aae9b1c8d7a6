import { MARK } from '../marks.ts'
import { type Call, valuesGiven } from '../program.ts'
import { copyState } from '../shell-state.ts'
import { reshaped } from './read-operands.ts'

/** Programs that are told about commands, and run none of them. */
const SPEAKERS =
  /^(gh|glab|jj|steward|claude|codex|gemini|opencode|linear|slack|git|hg|svn|tldr|apropos|whatis|cheat|explainshell|shellcheck|jq|yq|kubectl|oc|psql|mysql|sqlite3|mongosh|redis-cli|docker|podman|cowsay|figlet|aider|cursor-agent|llm|ollama|osascript|notify-send|brew|apt|apt-get|dnf|pacman)$/
/** Options that say where something is put. */
const PUTS = /^--(?:prefix|target|install-dir|dest(?:ination)?|out-?dir|output-dir)(?:=(.+))?$/s

/** Programs that delete: as a word of their own they are run by whatever stands in front. */
const DELETES = /^(?:\/\S*\/)?(rm|rmdir|unlink|shred|srm|wipe|rimraf|mkfs\S*|wipefs)$/
const SHELLS = /^(?:\/\S*\/)?(sh|bash|zsh|dash|ksh|fish)$/
/** An argument that begins as a command line which deletes, opens a shell or reads files. */
const COMMAND_LINE =
  /^\s*(?:!|sudo\s+|exec\s+|env\s+)?(?:\/\S*\/)?(?:rm|rmdir|unlink|shred|find|dd|mkfs\S*|sh|bash|zsh|cat|curl|wget|nc)\s+\S/
/** Longer ones would take a guard too long to read. */
const MAX_LINE_CHARS = 8000
/** Options whose value is only said. */
const SAID =
  /^--?(m|message|msg|title|body|notes?|subject|description|text|comment|prompt|query|q|label|name|summary|reason|grep|search|pattern|filter|t|b)$/

/** A command line in quotes inside the code of a language that we do not know. */
const QUOTED_COMMAND = /["'`]\s*((?:rm|rmdir|shred|unlink|mkfs\S*)\s+-[^"'`]+)["'`]/g

/** A program that we do not know may run what it is given: commands that stand there are followed. */
const runGiven = (call: Call): void => {
  const { args, shell, state, stdin } = call
  const at = args.findIndex(
    (arg, n) => DELETES.test(arg) || (SHELLS.test(arg) && /^-\w*c$/.test(args[n + 1] ?? '')),
  )
  if (at !== -1) shell.run(args.slice(at), stdin, copyState(state))
  for (const text of [...args, stdin]) {
    for (const [, command = ''] of text.matchAll(QUOTED_COMMAND))
      shell.runText(command, '', copyState(state))
  }
  args.forEach((arg, n) => {
    const [, option, value] = /^(--?[\w-]+)=(.*)$/s.exec(arg) ?? [undefined, args[n - 1] ?? '', arg]
    if (!COMMAND_LINE.test(value ?? '') || SAID.test(option ?? '')) return
    if ((value ?? '').length <= MAX_LINE_CHARS) shell.runText(value ?? '', '', copyState(state))
    else shell.emit({ kind: 'unresolved', what: 'a command line is too long to follow' })
  })
}

/** Frameworks take code as they take a command: `rails runner`, `artisan tinker --execute`, `shell -c`. */
export const runCodeOptions = ({ shell }: Call, args: readonly string[]): void => {
  const options = ['--execute', '--eval', '--code', '-e', '-c']
  const texts = valuesGiven(args, options)
  const at = args.findIndex((arg) => /^(runner|php:eval|eval)$/.test(arg))
  if (at !== -1) texts.push(args[at + 1] ?? '')
  for (const text of new Set(texts)) {
    if (/[\w!]\s*[(`"']/.test(text)) shell.emit({ kind: 'code', language: 'other', text })
  }
}

/** Words that may be paths are taken as such; the rest of an unknown program's doings is its own. */
export const runUnknown = (call: Call): string => {
  const { name, args, shell, stdin } = call
  for (const path of valuesGiven(args, ['-o', '--output', '--out', '--outfile'])) shell.write(path)
  if (!SPEAKERS.test(name)) {
    runGiven(call)
    runCodeOptions(call, args)
  }
  args.forEach((arg, n) => {
    const target = PUTS.exec(arg)
    const place = target?.[1] ?? (target === null ? undefined : args[n + 1])
    if (place !== undefined) shell.write(`${place}/${MARK.segment}`, { gentle: true })
  })
  for (const arg of args) {
    const value = arg.startsWith('-') ? /^--?[\w-]+=(.*)$/s.exec(arg)?.[1] : arg
    if (value === undefined || /\s/.test(value) || /^\w+:\/\//.test(value)) continue
    shell.read(value.replace(/^@/, ''), { mention: true })
    const assigned = /^\w+=(.+)$/.exec(value)?.[1]
    if (assigned !== undefined) shell.read(assigned, { mention: true })
  }
  return reshaped(stdin)
}
