import type { ToolEvaluation } from '@steward/contract'

type Judged = Extract<ToolEvaluation, { type: 'auto' }>['evaluated_permission']

const ALLOW: Judged = { type: 'allow' }
export const ASK: Judged = { type: 'ask', reason_code: 'indeterminate' }
const DENY: Judged = { type: 'deny', reason_code: 'high_risk' }

/** Commands that only show something, whatever their arguments. */
const SHOWING = new Set(
  'ls pwd cat head tail wc echo printf date whoami id uname which file stat du df cut tr diff cmp basename dirname realpath true false test grep jq'.split(
    ' ',
  ),
)
const SHOWING_GIT = new Set(['status', 'log', 'diff', 'show', 'rev-parse', 'ls-files'])

/**
 * What nobody wants to happen unasked: wiping what is not of the session, writing to raw devices,
 * running what a stranger sends, taking more rights, looking for secrets of the host.
 */
const DANGEROUS: readonly RegExp[] = [
  /\brm\s+(-\w+\s+)*-\w*[rf]\w*\s+(-\w+\s+)*(\/|~|\$HOME|\/\*)(\s|$)/,
  /\b(mkfs(\.\w+)?|fdisk|parted|wipefs)\b/,
  /\bdd\b[^|;&]*\bof=\/dev\//,
  />\s*\/dev\/(sd|nvme|vd|xvd|mem|kmem)/,
  /\b(curl|wget)\b[^;&]*\|\s*(sudo\s+)?(ba|z|da)?sh\b/,
  /(^|[;&|]\s*)(sudo|su|doas|mount|umount|insmod|modprobe|nsenter|unshare|chroot)\b/,
  /:\s*\(\s*\)\s*\{\s*:\s*\|\s*:\s*&\s*\}/,
  /\b(shutdown|reboot|halt|poweroff)\b/,
  /\/(etc\/(shadow|sudoers)|proc\/\w+\/(environ|mem)|root\/\.ssh)\b/,
  /169\.254\.169\.254|metadata\.google\.internal/,
]

/** Signs with which a command does more than it seems: other commands, redirections, expansion. */
const MORE_THAN_ONE = /[;&|<>`$(){}\n\\]/

/**
 * The policy `auto`, by fixed rules: looking and writing inside the workspace is allowed, as the
 * sandbox keeps both there; what is dangerous is denied; a person is asked about the rest.
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
  return DANGEROUS.some((sign) => sign.test(path)) ? DENY : otherwise
}

const isInWorkspace = (path: unknown): boolean => {
  if (typeof path !== 'string' || path.split('/').includes('..')) return false
  return !path.startsWith('/') || /^\/(workspace|tmp|mnt\/session\/outputs)\//.test(path)
}

const judgeCommand = (command: unknown): Judged => {
  // Only a restart of the shell.
  if (command === undefined || command === null) return ALLOW
  if (typeof command !== 'string') return ASK
  if (DANGEROUS.some((sign) => sign.test(command))) return DENY
  if (MORE_THAN_ONE.test(command)) return ASK
  const [program = '', verb = ''] = command.trim().split(/\s+/)
  if (program === 'git') return SHOWING_GIT.has(verb) ? ALLOW : ASK
  return SHOWING.has(program) ? ALLOW : ASK
}
