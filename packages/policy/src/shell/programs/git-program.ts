import { isPlain, MARK } from '../marks.ts'
import { type Call, hasFlag, type Program, readArguments, valuesGiven } from '../program.ts'
import { copyState } from '../shell-state.ts'
import { splitGlobals } from '../sub-command.ts'
import { runCode } from './run-code.ts'

/** Settings whose value git runs. */
const RUNS =
  /^(alias\..+|core\.(sshcommand|pager|editor|fsmonitor|askpass|gitproxy)|credential(\..+)?\.helper|diff\..+\.(command|textconv)|diff\.external|(merge|diff)tool\..+\.cmd|merge\..+\.driver|filter\..+\.(clean|smudge|process)|sequence\.editor|pager\..+|gpg\.program|uploadpack\..+)$/i

const git: Program = (call) => {
  const { globals, rest } = splitGlobals('git', call.args)
  const state = copyState(call.state)
  globals.forEach((arg, n) => {
    const value = globals[n + 1] ?? ''
    if (arg === '-C') {
      state.directories = state.directories.map((each) =>
        /^[/~\uE003]/.test(value) ? value : `${each}/${value}`,
      )
    }
    if (arg === '-c') runSetting(call, value)
  })
  return runGit({ ...call, state }, rest)
}

/** Options of any sub-command whose value git runs. `-u` and `-x` mean that for some only. */
const RUN_OPTIONS = [
  '--extcmd',
  '--upload-pack',
  '--receive-pack',
  '--open-files-in-pager',
  '--tree-filter',
  '--index-filter',
  '--msg-filter',
  '--env-filter',
  '--parent-filter',
  '--commit-filter',
  '--tag-name-filter',
]
const RUN_LETTERS: Readonly<Record<string, string>> = {
  difftool: '-x',
  clone: '-u',
  grep: '-O',
  rebase: '-x',
}

const runOptionCommands = (call: Call, sub: string, args: readonly string[]): void => {
  const letter = Object.hasOwn(RUN_LETTERS, sub) ? [RUN_LETTERS[sub] ?? ''] : []
  const isRemote = /^(push|archive|fetch-pack|send-pack|ls-remote|fetch|rebase)$/.test(sub)
  const options = [...RUN_OPTIONS, ...letter, ...(isRemote ? ['--exec'] : [])]
  for (const text of valuesGiven(args, options)) {
    if (/^[\w-]*$/.test(text)) continue
    runCode(call, text, '', copyState(call.state))
  }
}

const runGit = (call: Call, [sub = '', ...args]: readonly string[]): string => {
  const { shell, state } = call
  runOptionCommands(call, sub, args)
  for (const setting of valuesGiven(args, ['-c', '--config'])) runSetting(call, setting)
  for (const path of valuesGiven(args, ['--contents', '--file', '--pathspec-from-file', '-F']))
    shell.read(path, { mention: true })
  const read = readArguments(
    args,
    [
      'm',
      'message',
      'F',
      'C',
      'b',
      'B',
      'n',
      'format',
      'pretty',
      'o',
      'S',
      'G',
      'L',
      'e',
      'exec',
      'x',
      'u',
      'set-upstream',
    ]
      .filter((name) => !(name === 'n' && (sub === 'clean' || sub === 'rm')))
      .filter(
        (name) =>
          !(name === 'x' && sub === 'clean') &&
          !(name === 'u' && sub !== 'branch') &&
          !(name === 'e' && sub === 'clean') &&
          !(name === 'C' && sub !== 'commit'),
      ),
  )
  const places = state.directories
  switch (sub) {
    case 'rm':
      // Off the list of what git knows, the file itself stays.
      if (hasFlag(read, 'cached')) return ''
      for (const path of read.operands) shell.remove(path, { recursive: hasFlag(read, 'r') })
      return ''
    case 'mv':
      for (const path of read.operands.slice(0, -1)) shell.remove(path, { gentle: true })
      return ''
    case 'clean':
      if (hasFlag(read, 'f', 'force') && !hasFlag(read, 'n', 'dry-run')) {
        const paths = read.operands.length === 0 ? places : read.operands
        for (const path of paths) shell.remove(`${path}/${MARK.deep}`, { gentle: true })
      }
      return MARK.unknown
    case 'reset':
      if (hasFlag(read, 'hard')) for (const path of places) shell.write(path, { gentle: true })
      return ''
    case 'checkout':
    case 'restore':
      for (const path of args.includes('--') ? args.slice(args.indexOf('--') + 1) : [])
        shell.write(path)
      return ''
    case 'push':
    case 'fetch':
    case 'pull':
    case 'clone':
    case 'send-email':
      shell.emit({
        kind: 'network',
        program: 'git',
        target: read.operands.join(' '),
        sends: sub === 'push',
      })
      if (sub === 'push') {
        checkLease(call, args, read.operands)
        checkRemote(call, read.operands[0] ?? 'origin')
      }
      for (const address of read.operands) {
        const command = /^ext::(.*)$/s.exec(address)?.[1]
        if (command !== undefined) runCode(call, command, '', state)
      }
      if (sub === 'clone' && read.operands[1] !== undefined)
        shell.write(read.operands[1], { gentle: true })
      return ''
    case 'remote':
      // Known to later parts by the file in which git used to keep it.
      if (/^(add|set-url)$/.test(read.operands[0] ?? ''))
        shell.remember(`.git/remotes/${read.operands[1] ?? ''}`, read.operands[2] ?? '')
      return MARK.unknown
    case 'hash-object':
      for (const path of read.operands) shell.read(path)
      return MARK.segment
    case 'config':
      if (read.operands.length > 1) runSetting(call, `${read.operands[0]}=${read.operands[1]}`)
      return MARK.segment
    case 'rev-parse':
      return hasFlag(read, 'show-toplevel') ? places.join('\n') : MARK.segment
    case 'ls-files':
    case 'diff':
    case 'grep':
    case 'show':
    case 'log':
    case 'status':
    case 'stash':
      return readTracked(call, sub, read.operands, args)
    case 'bisect':
    case 'submodule':
    case 'rebase':
      runNested(call, args)
      return ''
    case 'branch':
      // Patterns do not tell -D from -d.
      if (hasFlag(read, 'D')) {
        shell.emit({
          kind: 'hazard',
          rule: 'builtin:git-branch',
          verdict: 'ask',
          reason: 'deletes a branch whose work may be nowhere else',
        })
      }
      return MARK.segment
    case 'describe':
    case 'merge-base':
    case 'symbolic-ref':
    case 'rev-list':
      return MARK.segment
    case 'add':
    case 'apply':
    case 'am':
    case 'stage':
      for (const path of read.operands) shell.read(path, { mention: true })
      return ''
    case 'archive':
    case 'bundle':
      for (const path of read.values.get('o') ?? []) shell.write(path)
      return MARK.unknown
    default:
      return MARK.unknown
  }
}

/** A remote that this command itself brings along is nobody's usual place to push to. */
const checkRemote = ({ shell }: Call, remote: string): void => {
  const isAddress = /^(\w+:\/\/|[\w.-]+@[\w.-]+:)/.test(remote)
  if (!isAddress && shell.contentOf(`.git/remotes/${remote}`) === undefined) return
  shell.emit({
    kind: 'hazard',
    rule: 'builtin:git-push',
    verdict: 'ask',
    reason: 'sends the repository to a remote that was not set up before',
  })
}

/** With a lease nobody else's work is lost; still not on a branch that others build on, or on one that is not named. */
const checkLease = (
  { shell }: Call,
  args: readonly string[],
  [, ...branches]: readonly string[],
): void => {
  if (!args.some((arg) => /^--force-(with-lease|if-includes)\b/.test(arg))) return
  const isShared = (branch: string) =>
    /(^|[/:])(main|master|trunk|develop|release|prod|production|stable)\b/.test(branch) ||
    !isPlain(branch)
  if (branches.length > 0 && !branches.some(isShared)) return
  shell.emit({
    kind: 'hazard',
    rule: 'builtin:git-push',
    verdict: 'ask',
    reason: 'rewrites the history of a branch on the remote',
  })
}

const readTracked = (
  { shell, state }: Call,
  sub: string,
  operands: readonly string[],
  args: readonly string[],
): string => {
  const isPath = (text: string) =>
    isPlain(text) && /[./]/.test(text) && !/^\w[\w./-]*\.\.|^@|^HEAD/.test(text)
  if (sub !== 'grep')
    for (const path of operands.filter(isPath)) shell.read(path, { mention: true })
  const named = sub === 'ls-files' || args.some((arg) => arg === '--name-only' || arg === '-l')
  return named ? state.directories.map((each) => `${each}/${MARK.deep}`).join('\n') : MARK.unknown
}

/** `git bisect run x`, `git submodule foreach 'x'`, `git rebase --exec x`. */
const runNested = (call: Call, args: readonly string[]): void => {
  const at = args.findIndex((arg) => /^(run|foreach|--exec|-x)$/.test(arg))
  if (at === -1) return
  const rest = args.slice(at + 1).filter((arg) => arg !== '--recursive')
  const [text = ''] = rest
  if ((args[at] ?? '').startsWith('-') || rest.length === 1) runCode(call, text, '', call.state)
  // Several words keep their quotes.
  else call.shell.run(rest, '', call.state)
}

const runSetting = (call: Call, setting: string): void => {
  const at = setting.indexOf('=')
  const name = setting.slice(0, at === -1 ? undefined : at)
  const value = at === -1 ? '' : setting.slice(at + 1)
  if (!RUNS.test(name)) return
  const isAlias = name.toLowerCase().startsWith('alias.')
  const command = value.startsWith('!') ? value.slice(1) : isAlias ? `git ${value}` : value
  if (/^[\w-]*$/.test(command)) return
  runCode(call, command, '', copyState(call.state))
}

export const GIT_PROGRAMS: Record<string, Program> = { git, hub: git }
