import { MARK } from '../marks.ts'
import type { Shell } from '../program.ts'
import { copyState, type ShellState } from '../shell-state.ts'
import { findLiterals } from './code-literals.ts'
import { findSentEnvironment, sendsAway } from './code-sends.ts'

/** Code in other languages is not parsed; it is judged by its calls and string literals. */
const DELETES =
  /\b(rmtree|remove_tree|removedirs|remove[._](dir|file|dir_all|recursive|all|entry\w*|tree)|unlink(sync)?|rmdir(sync)?|rm(sync|_rf|_r|_f)|rimraf|remove_entry_secure|send2trash|Remove-Item|del_dir_r|deltree|delete[-_]?(dir|director|file|recursive|tree)[\w-]*|(dir|file)_delete|remove(DirectoryRecursive|PathForcibly|File|Item\w*)|(foreach|map|each)\(\s*rm|file\.remove|file\s+delete)\b!?\s*(?:[(\s'":,]|$)|\b(rm|remove(file|sync)?|delete|wipe)!?\s*\(/i
const WRITES =
  /open\s*\((?:(?!open\s*\()[^)])*['"][wax]\+?b?['"]|write_?(text|bytes|file(sync)?)\s*\(|appendFile|createWriteStream|file_put_contents|File\.(write|open)|copy(file|tree|FileSync)?\s*\(|rename(Sync)?\s*\(|chmod(Sync)?\s*\(|symlink|\btruncate(Sync)?\s*\(|print\s*>|(?<=open\s*(?:\(\s*)?(?:\w+\s*)?(?:,\s*)?)['"]>/i
const RUNS =
  /\b(os\.system|os\.popen|os\.exec\w*|os\.spawn\w*|subprocess|check_output|Popen|pty\.spawn|child_process|exec(File)?(Sync)?|spawn(Sync)?|system|popen|shell_exec|passthru|proc_open|do shell script|Open3\.\w+|IO\.popen|qx|Deno\.(run|Command)|Bun\.spawn|execa|Kernel\.\w+|os\.execute|io\.popen|os[:.]cmd|open_port|System\.(cmd|shell)|callCommand|callProcess|readProcess\w*|createProcess|rawSystem|shell-command(-to-string)?|call-process|start-process|run-program|run-shell-command|clojure\.java\.shell|sys\.process|Process|ProcessBuilder|getRuntime|getoutput|getstatusoutput|system2|systemlist|jobstart|job_start|termopen|shell|unix|dos|spawn_shell|posix_spawn|NSTask|subprocess\w*|process\.run)\b|\.execute\(\)|"\s*\.!|\bBun\.\$|\$`|\brun\(`|doShellScript|\bopen\b[^;]{0,200}(\|\s*["']|["']\s*\|)|%x\W|\bqx\W/
const HIDES =
  /\b(b64decode|decode_base64|base64\.\w*decode|fromCharCode|atob|codecs\.decode|unhexlify|fromhex|decode\(\s*['"](base64|hex|rot)|base64_decode|pack\(\s*['"]H|eval|exec|compile|__import__|getattr|marshal\.loads|pickle\.loads|Function)\s*\(|Buffer\.from\([^)]*['"](base64|hex)/
/** `%x(…)`, `qx{…}` and `qq(…)` in Ruby and Perl. */
const QUOTED =
  /(?:%[xqQ]|\bq[qx]?)\s*(?:\(([^)]{0,500})\)|\{([^}]{0,500})\}|\[([^\]]{0,500})\]|\/([^/]{0,500})\/)/g
/** Tcl and Nushell commands whose words are a system command line. */
const BARE_RUNS = /(?:^|[\n;{[\]^]|\bcatch\s)[^\S\n]*(?:exec|spawn|\^)\s+(?:--\s+)?([^\n;\]}]+)/g
const BARE_LANGUAGES = new Set(['tcl', 'nu'])
const BARE_PATHS = new Set(['powershell', 'tcl', 'nu'])
/** A home directory interpolated into a string: `$ENV{HOME}/x`, `#{Dir.home}/x`. */
const HOME_IN_TEXT = /^(?:\$ENV\{\W?HOME\W?\}|[#$]\{[^}]*home[^}]*\}|\$HOME)/i

/** The home directory in each language. */
const HOME =
  /\bhomedir\(\)|\bos\.home\b|\buser_?home\b|\bget(env)?\(\s*\\?['"]HOME|path\.expand\(\s*['"]~|\bPath\.home\(\)|\bDir\.home\b|expanduser\(\s*['"]~['"]\s*\)|\b(process\.env\.|env:)HOME\b|(environ|ENV|getenv|env)\W{1,3}HOME\b|\$HOME\b|\$ENV\{['"]?HOME/
/** The argument of a call that deletes or writes is a path, whatever it looks like. */
const NAMED =
  /\b(?:rmtree|remove(?:dirs|file|sync)?|unlink(?:sync)?|rmdir(?:sync)?|rm(?:sync|_rf|_r|_f)?|rimraf|writeFile(?:Sync)?|rename(?:Sync)?|copy(?:file|tree|FileSync)?|move|symlink|chmod|file_put_contents)\s*\(\s*(?:"([^"\n]+)"|'([^'\n]+)')/gi
const BACKTICKS = new Set(['ruby', 'perl', 'php'])

/** Records the effects that a piece of code seems to have. */
export const readCode = (language: string, text: string, state: ShellState, shell: Shell): void => {
  const quoted = [...text.matchAll(QUOTED)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? match[4] ?? '',
  )
  const literals = [...findLiterals(text), ...quoted].map((literal) =>
    literal.replace(HOME_IN_TEXT, '~'),
  )
  const named = [...text.matchAll(NAMED)].map((match) => match[1] ?? match[2] ?? '')
  const bare = BARE_PATHS.has(language) ? text.split(/[\s;|]+/).filter(isPathLike) : []
  const paths = [...new Set([...literals.filter(isPathLike), ...named, ...bare])]
  // `join(homedir(), 'x')` is a path in the home directory; without a string it is the home
  // directory itself.
  if (HOME.test(text)) {
    const inside = paths.filter((path) => !path.startsWith('~')).map((path) => `~/${path}`)
    // The parts of a path may be separate arguments.
    const parts = literals.filter((part) => /^[\w.@+-]+$/.test(part))
    if (parts.length > 1) shell.read(`~/${parts.join('/')}`, { mention: true })
    paths.push(...(inside.length === 0 ? ['~'] : inside))
  }
  for (const path of paths) {
    shell.read(path, { mention: true })
    // Code often prepends a home directory.
    if (path.startsWith('/.')) shell.read(`~${path}`, { mention: true })
  }
  if (HIDES.test(text)) {
    shell.emit({
      kind: 'unresolved',
      what: `${language} code that builds other code or unpacks hidden text`,
    })
  }
  if (DELETES.test(text) && language !== 'awk') touchAll(shell, language, paths, 'delete')
  else if (WRITES.test(text)) touchAll(shell, language, paths, 'write')
  if (
    RUNS.test(text) ||
    (BACKTICKS.has(language) && text.includes('`')) ||
    isAwkPipe(language, text) ||
    language === 'vim'
  ) {
    runLiterals(text, language, literals, state, shell)
  }
  if (BARE_LANGUAGES.has(language)) {
    for (const [, command = ''] of text.matchAll(BARE_RUNS))
      shell.runText(command, '', copyState(state))
  }
  if (sendsAway(text)) reportSent(text, language, shell)
  if (
    /socket|fsockopen|net\.connect/i.test(text) &&
    /\bdup2|\/bin\/(ba|z|da)?sh|pty\.spawn|subprocess/.test(text)
  ) {
    shell.emit({
      kind: 'hazard',
      rule: 'builtin:reverse-shell',
      verdict: 'deny',
      reason: `${language} code joins a shell to a connection`,
    })
  }
}

const reportSent = (text: string, language: string, shell: Shell): void => {
  shell.emit({ kind: 'network', program: language, target: '', sends: true })
  const sent = findSentEnvironment(text)
  if (sent === undefined) return
  shell.emit({
    kind: 'hazard',
    rule: 'builtin:exfiltration',
    verdict: sent === 'whole' ? 'deny' : 'ask',
    reason:
      sent === 'whole'
        ? `${language} code sends the environment, secrets included, over the network`
        : `${language} code reads a secret of the environment and talks to the network`,
  })
}

const isPathLike = (text: string): boolean =>
  /^[~./\w][^\s<>|;,:=(){}%]*$/.test(text) &&
  /[/~.]/.test(text) &&
  !/^\w+:\/\//.test(text) &&
  text.length < 500

const isAwkPipe = (language: string, text: string): boolean =>
  language === 'awk' && /system\s*\(|\|&?\s*"|"\s*\|\s*getline/.test(text)

const touchAll = (
  shell: Shell,
  language: string,
  paths: readonly string[],
  kind: 'write' | 'delete',
): void => {
  const isRecursive = kind === 'delete'
  for (const path of paths) {
    const globbed = path.replaceAll('**', MARK.deep).replaceAll('*', MARK.star)
    const places = path.startsWith('/.') ? [globbed, `~${globbed}`] : [globbed]
    for (const place of places) {
      if (isRecursive) shell.remove(place, { recursive: true })
      else shell.write(place, { replaces: true })
    }
  }
  if (paths.length === 0) {
    shell.emit({
      kind: 'unresolved',
      what: `${language} code that can ${kind} files it does not name`,
    })
  }
}

/**
 * Strings passed to a call that runs programs are read as command lines: each alone, and all as an
 * argument list.
 */
const runLiterals = (
  text: string,
  language: string,
  literals: readonly string[],
  state: ShellState,
  shell: Shell,
): void => {
  const called = literals.filter(
    (literal) =>
      !/^(child_process|node:child_process|os|subprocess|utf-?8|inherit)$/i.test(literal),
  )
  if (called.length === 0) {
    if (/\b(system|popen|exec|spawn|Popen|run|call|check_output)\w*\s*\(/.test(text)) {
      shell.emit({
        kind: 'unresolved',
        what: `${language} code that runs a program it does not name`,
      })
    }
    return
  }
  const outputs = called.map((literal) =>
    shell.runText(unescapeLiteral(literal), '', copyState(state)),
  )
  if (outputs.some((output) => output.includes(MARK.secret)) && sendsAway(text)) {
    shell.emit({
      kind: 'hazard',
      rule: 'builtin:exfiltration',
      verdict: 'deny',
      reason: `${language} code sends the environment, secrets included, over the network`,
    })
  }
  if (called.length > 1 && (/[[,]/.test(text) || language === 'lisp'))
    shell.run(
      [...called.map(unescapeLiteral), ...(HOME.test(text) ? ['~'] : [])],
      '',
      copyState(state),
    )
}

/** Editors pass the text after `!` to the shell. */
const unescapeLiteral = (text: string): string =>
  text.replace(/\\(["'`\\$])/g, '$1').replace(/^:?!|^\s*\|-?|\|\s*$/g, '')
