import type { ToolEvaluation } from '@steward/contract'

type Judged = Extract<ToolEvaluation, { type: 'auto' }>['evaluated_permission']

const ALLOW: Judged = { type: 'allow' }
export const ASK: Judged = { type: 'ask', reason_code: 'indeterminate' }
const DENY: Judged = { type: 'deny', reason_code: 'high_risk' }

/** Commands that are read-only whatever their arguments. */
const SHOWING = new Set(
  'ls pwd cat head tail wc echo printf date whoami id uname which file stat du df cut tr diff cmp basename dirname realpath true false test grep jq'.split(
    ' ',
  ),
)
const SHOWING_GIT = new Set(['status', 'log', 'diff', 'show', 'rev-parse', 'ls-files'])

/**
 * Must never run unattended: deleting outside the session, writing to raw devices, running
 * downloaded code, gaining privileges, searching for secrets of the host.
 */
const DANGEROUS: readonly RegExp[] = [
  /\b(mkfs(\.\w+)?|fdisk|parted|wipefs)\b/,
  /\bdd\b(?:(?!\bdd\b)[^|;&])*\bof=\/dev\//,
  />\s*\/dev\/(sd|nvme|vd|xvd|mem|kmem)/,
  /\b(curl|wget)\b(?:(?!\b(?:curl|wget)\b)[^;&])*\|\s*(sudo\s+)?(ba|z|da)?sh\b/,
  /(^|[;&|]\s*)(sudo|su|doas|mount|umount|insmod|modprobe|nsenter|unshare|chroot)\b/,
  /:\s*\(\s*\)\s*\{\s*:\s*\|\s*:\s*&\s*\}/,
  /\b(shutdown|reboot|halt|poweroff)\b/,
  /\/(etc\/(shadow|sudoers)|proc\/\w+\/(environ|mem)|root\/\.ssh)\b/,
  /169\.254\.169\.254|metadata\.google\.internal/,
]

const isDangerous = (text: string): boolean =>
  removesAll(text) || DANGEROUS.some((sign) => sign.test(text))

const EVERYTHING = new Set(['/', '~', '$HOME', '/*'])

/**
 * Whether `rm` with `-r` or `-f` deletes everything, in one pass over the words: a pattern would try
 * every way to divide the options.
 */
const removesAll = (command: string): boolean => {
  let options: 'none' | 'harmless' | 'forced' = 'none'
  for (const word of command.split(/\s+/)) {
    if (options === 'forced' && EVERYTHING.has(word)) return true
    if (!/^-\w+$/.test(word)) options = 'none'
    else if (options !== 'none' && /[rf]/.test(word)) options = 'forced'
    if (options === 'none' && /\brm$/.test(word)) options = 'harmless'
  }
  return false
}

/**
 * Characters that make a command do more than it seems: further commands, redirections, expansion.
 */
const MORE_THAN_ONE = /[;&|<>`$(){}\n\\]/

/**
 * The `auto` policy as fixed rules: reading and writing inside the workspace is allowed, because
 * the sandbox confines both; dangerous calls are denied; everything else needs confirmation.
 */
export const judgeCall = (name: string, input: Readonly<Record<string, unknown>>): Judged => {
  switch (name) {
    case 'read':
    case 'glob':
    case 'grep':
    case 'web_search':
      return judgePath(input, ALLOW)
    case 'write':
    case 'edit':
      return judgePath(input, isInWorkspace(input.file_path) ? ALLOW : ASK)
    case 'bash':
      return judgeCommand(input.command)
    default:
      return ASK
  }
}

const judgePath = (input: Readonly<Record<string, unknown>>, otherwise: Judged): Judged => {
  const path = String(input.file_path ?? input.path ?? '')
  return isDangerous(path) ? DENY : otherwise
}

const isInWorkspace = (path: unknown): boolean => {
  if (typeof path !== 'string' || path.split('/').includes('..')) return false
  return !path.startsWith('/') || /^\/(workspace|tmp|mnt\/session\/outputs)\//.test(path)
}

const judgeCommand = (command: unknown): Judged => {
  // Only restarts the shell.
  if (command === undefined || command === null) return ALLOW
  if (typeof command !== 'string') return ASK
  if (isDangerous(command)) return DENY
  if (MORE_THAN_ONE.test(command)) return ASK
  const [program = '', verb = ''] = command.trim().split(/\s+/)
  if (program === 'git') return SHOWING_GIT.has(verb) ? ALLOW : ASK
  return SHOWING.has(program) ? ALLOW : ASK
}
