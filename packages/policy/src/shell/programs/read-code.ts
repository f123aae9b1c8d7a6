import type { Shell } from '../program.ts'
import { copyState, type ShellState } from '../shell-state.ts'

/** Code in other languages is not followed; it is judged by the calls and the texts in it. */
const DELETES =
  /\b(rmtree|remove_tree|removedirs|unlink(sync)?|rmdir(sync)?|rm(sync|_rf|_r|_f)|rimraf|remove_entry_secure|send2trash|Remove-Item)\s*[(\s'"]|\b(rm|remove(file|sync)?|delete|file_delete|wipe)\s*\(/i
const WRITES =
  /open\s*\([^)]*['"][wax]\+?b?['"]|write_?(text|bytes|file(sync)?)\s*\(|appendFile|createWriteStream|file_put_contents|File\.(write|open)|copy(file|tree|FileSync)?\s*\(|rename(Sync)?\s*\(|chmod(Sync)?\s*\(|symlink|\btruncate\s*\(|print\s*>|open\s*\(?\s*\w*\s*,?\s*['"]>/i
const RUNS =
  /\b(os\.system|os\.popen|os\.exec\w*|os\.spawn\w*|subprocess|check_output|Popen|pty\.spawn|child_process|exec(File)?(Sync)?|spawn(Sync)?|system|popen|shell_exec|passthru|proc_open|do shell script|Open3\.\w+|IO\.popen|qx|Deno\.(run|Command)|Bun\.spawn|execa|Kernel\.\w+)\b|\bBun\.\$|\$`/
const HIDES =
  /\b(b64decode|decode_base64|base64\.\w*decode|fromCharCode|atob|codecs\.decode|unhexlify|fromhex|decode\(\s*['"](base64|hex|rot)|base64_decode|pack\(\s*['"]H|eval|exec|compile|__import__|getattr|marshal\.loads|pickle\.loads|Function)\s*\(|Buffer\.from\([^)]*['"](base64|hex)/
const PICKS = /\b(environ|process\.env|ENV\[|getenv)\b/
const SENDS =
  /\b(requests\.(post|put)|urlopen|http\.client|fetch\s*\(|https?\.request|Net::HTTP|socket\.|LWP::|axios|XMLHttpRequest|smtplib)\b/
const LITERAL = /"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g
/** The home directory, as each language spells it. */
const HOME =
  /\bhomedir\(\)|\bPath\.home\(\)|\bDir\.home\b|expanduser\(\s*['"]~['"]\s*\)|\b(process\.env\.|env:)HOME\b|(environ|ENV|getenv|env)\W{1,3}HOME\b|\$HOME\b|\$ENV\{['"]?HOME/
/** The text that a call which deletes or writes is given is a path, whatever it looks like. */
const NAMED =
  /\b(?:rmtree|remove(?:dirs|file|sync)?|unlink(?:sync)?|rmdir(?:sync)?|rm(?:sync|_rf|_r|_f)?|rimraf|writeFile(?:Sync)?|rename(?:Sync)?|copy(?:file|tree|FileSync)?|move|symlink|chmod|file_put_contents)\s*\(\s*(?:"([^"\n]+)"|'([^'\n]+)')/gi
const BACKTICKS = new Set(['ruby', 'perl', 'php'])

/** Notes what a piece of code seems to do. */
export const readCode = (language: string, text: string, state: ShellState, shell: Shell): void => {
  const literals = [...text.matchAll(LITERAL)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? '',
  )
  const named = [...text.matchAll(NAMED)].map((match) => match[1] ?? match[2] ?? '')
  const bare = language === 'powershell' ? text.split(/[\s;|]+/).filter(isPathLike) : []
  const paths = [...new Set([...literals.filter(isPathLike), ...named, ...bare])]
  // `join(homedir(), 'x')` is a path in the home directory, and without a text beside it that itself.
  if (HOME.test(text)) {
    const inside = paths.filter((path) => !path.startsWith('~')).map((path) => `~/${path}`)
    paths.push(...(inside.length === 0 ? ['~'] : inside))
  }
  for (const path of paths) {
    shell.read(path, { mention: true })
    // A home directory is often put in front by the code.
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
    isAwkPipe(language, text)
  ) {
    runLiterals(text, language, literals, state, shell)
  }
  if (SENDS.test(text)) {
    shell.emit({ kind: 'network', program: language, target: '', sends: true })
    if (PICKS.test(text)) {
      shell.emit({
        kind: 'hazard',
        rule: 'builtin:exfiltration',
        verdict: 'ask',
        reason: `${language} code reads the environment and talks to the network`,
      })
    }
  }
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

const isPathLike = (text: string): boolean =>
  /^[~./\w][^\s<>|;,:=(){}%]*$/.test(text) &&
  /[/~.]/.test(text) &&
  !/^\w+:\/\//.test(text) &&
  text.length < 500

const isAwkPipe = (language: string, text: string): boolean =>
  language === 'awk' && /system\s*\(|\|\s*"|"\s*\|\s*getline/.test(text)

const touchAll = (
  shell: Shell,
  language: string,
  paths: readonly string[],
  kind: 'write' | 'delete',
): void => {
  const isRecursive = kind === 'delete'
  for (const path of paths) {
    const places = path.startsWith('/.') ? [path, `~${path}`] : [path]
    for (const place of places) {
      if (isRecursive) shell.remove(place, { recursive: true })
      else shell.write(place)
    }
  }
  if (paths.length === 0) {
    shell.emit({
      kind: 'unresolved',
      what: `${language} code that can ${kind} files it does not name`,
    })
  }
}

/** Texts given to a call that runs programs are read as command lines: alone, and as a list of arguments. */
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
  for (const literal of called) shell.runText(unescapeLiteral(literal), '', copyState(state))
  if (called.length > 1 && /[[,]/.test(text))
    shell.run(
      [...called.map(unescapeLiteral), ...(HOME.test(text) ? ['~'] : [])],
      '',
      copyState(state),
    )
}

const unescapeLiteral = (text: string): string => text.replace(/\\(["'`\\$])/g, '$1')
