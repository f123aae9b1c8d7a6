import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { type PermissionAsked, realPathOf } from '@steward/assistants'
import {
  type DrivenSession,
  isJsonObject,
  type Judgement,
  matchesWildcards,
  parseWildcards,
} from '@steward/contract'

export type Decision = { decision: 'allow' | 'deny'; why: string } | { decision: 'ask' }

/** What the guards judge: the call by the names that they know. */
export interface JudgedCall {
  tool: string
  input: { command?: string; file_path?: string; url?: string }
}

const CHANGES = ['edit', 'delete', 'move']
const PUSH = /\bgit\b.*\bpush\b/s
/** A command with one of these may run more than it shows. */
const SHELL_SYNTAX = /[;&|<>`$(){}\n\r\\]/

/**
 * Decides a request without a person: the guards refuse first, then the writable paths, then rules
 * allow. What is left is asked or refused, as the session says.
 */
export const decidePermission = (
  session: Pick<DrivenSession, 'folder' | 'allow' | 'writable' | 'permissions'>,
  asked: PermissionAsked,
  judge: (call: JudgedCall) => Judgement | undefined,
): Decision => {
  const { folder, allow, writable } = session
  const call = readCall(asked, folder)
  for (const judged of call.judged) {
    const judgement = judge(judged)
    if (judgement?.verdict === 'deny') {
      return { decision: 'deny', why: `the security policy: ${judgement.reason}` }
    }
    // The policy wants a person's consent, which a rule does not replace.
    if (judgement?.verdict === 'ask') return unattended(session)
  }
  if (CHANGES.includes(call.kind) && writable.length > 0) {
    const outside = call.paths.find((path) => !isWritable(path, writable))
    if (outside !== undefined) {
      return { decision: 'deny', why: `its writable paths, which leave out ${outside}` }
    }
  }
  const rule = allow.find((each) => matches(each, call))
  return rule === undefined ? unattended(session) : { decision: 'allow', why: `rule ${rule}` }
}

const unattended = ({ permissions }: Pick<DrivenSession, 'permissions'>): Decision =>
  permissions === 'deny'
    ? { decision: 'deny', why: 'its permissions, which are deny' }
    : { decision: 'ask' }

/** A push has to be requested: by a rule that names it. */
const namesPush = (rule: string): boolean => /^execute .*\bpush\b/.test(rule)

/** Whether a push can have been requested, by a rule or by a person who is asked. */
export const mayPush = ({
  permissions,
  allow,
}: Pick<DrivenSession, 'permissions' | 'allow'>): boolean =>
  permissions === 'ask' || allow.some(namesPush)

/** A path relative to the session's folder that is one of the writable ones or below it. */
export const isWritable = (path: string, writable: readonly string[]): boolean =>
  writable.length === 0 ||
  writable.some((each) => {
    const base = each.replace(/\/+$/, '').replace(/^\.\//, '')
    return base === '.' || path === base || path.startsWith(`${base}/`)
  })

interface ReadCall {
  kind: string
  /** Relative to the folder; those outside begin with `..` or are absolute. */
  paths: string[]
  command: string | undefined
  url: string | undefined
  judged: JudgedCall[]
}

const PATH_FIELDS = ['file_path', 'filePath', 'filepath', 'path', 'notebook_path', 'file']

const readCall = ({ kind = 'other', input, paths }: PermissionAsked, folder: string): ReadCall => {
  const fields = isJsonObject(input) ? input : {}
  const text = (name: string): string | undefined => {
    const value = fields[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const named = PATH_FIELDS.flatMap((name) => text(name) ?? [])
  const command = Array.isArray(fields.command) ? fields.command.join(' ') : text('command')
  const url = text('url')
  const whole = [...new Set([...paths, ...named].map((path) => realPath(resolve(folder, path))))]
  const root = realPath(folder)
  const tool = CHANGES.includes(kind) ? 'Edit' : 'Read'
  return {
    kind,
    paths: whole.map((path) => relative(root, path) || '.'),
    command,
    url,
    judged: [
      ...(command === undefined ? [] : [{ tool: 'Bash', input: { command } }]),
      ...(url === undefined ? [] : [{ tool: 'WebFetch', input: { url } }]),
      ...whole.map((path) => ({ tool, input: { file_path: path } })),
    ],
  }
}

const matches = (rule: string, { kind, paths, command, url }: ReadCall): boolean => {
  const space = rule.indexOf(' ')
  const pattern = space === -1 ? undefined : rule.slice(space + 1)
  if ((space === -1 ? rule : rule.slice(0, space)) !== kind) return false
  if (kind === 'execute') {
    if (command !== undefined && PUSH.test(command) && !namesPush(rule)) return false
    if (pattern === undefined) return true
    return command !== undefined && !SHELL_SYNTAX.test(command) && fits(pattern, command)
  }
  if (kind === 'fetch') return pattern === undefined || (url !== undefined && fits(pattern, url))
  if (kind === 'think') return pattern === undefined
  const inside = (path: string): boolean => path !== '..' && !path.startsWith(`..${sep}`)
  return (
    paths.length > 0 &&
    paths.every(
      (path) => inside(path) && !isAbsolute(path) && (pattern === undefined || fits(pattern, path)),
    )
  )
}

/** `*` stands for any characters, `?` for one. */
const fits = (pattern: string, text: string): boolean =>
  matchesWildcards(parseWildcards(pattern), text)

/** Follows links also in the folders above a path that does not exist yet. */
const realPath = (path: string): string => {
  const parent = dirname(path)
  if (parent === path) return path
  return realPathOf(join(realPath(parent), path.slice(parent.length).replace(/^\/+/, '')))
}
