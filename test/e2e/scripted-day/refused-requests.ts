import { LIMITS } from '@steward/contract'

export interface RefusedRequest {
  /** The mistake in the request. */
  why: string
  method: string
  path: string
  body?: unknown
  headers?: Record<string, string>
  /** Sent unchanged in place of a JSON body. */
  text?: string
  withoutToken?: true
}

const PATTERNS = '/api/security/patterns'
const RULES = '/api/security/rules'
const NOTE = '/api/knowledge/ideas/exactly-once'
const TRAITS = '/assistant/personality/traits'
const TASKS = '/assistant/tasks'
const notify = { type: 'notify', message: 'x' }
const readOnly = { action: 'add_path', tier: 'readOnly', path: '/gauges' }
const tooLong = (bytes: number): string => 'x'.repeat(bytes + 1)

/** Requests to every route of the four tables that must change nothing. */
export const REFUSED: readonly RefusedRequest[] = [
  {
    why: 'the token is missing',
    method: 'POST',
    path: PATTERNS,
    body: readOnly,
    withoutToken: true,
  },
  {
    why: 'the token is missing',
    method: 'POST',
    path: RULES,
    body: { content: 'x' },
    withoutToken: true,
  },
  {
    why: 'the token is missing',
    method: 'PUT',
    path: NOTE,
    body: { content: 'x' },
    withoutToken: true,
  },
  {
    why: 'the token is missing',
    method: 'PATCH',
    path: TRAITS,
    body: { warmth: 1 },
    withoutToken: true,
  },
  {
    why: 'the token is missing',
    method: 'POST',
    path: TASKS,
    body: { description: 'x', action: notify },
    withoutToken: true,
  },
  { why: 'the token is missing', method: 'DELETE', path: `${TASKS}/call-ada`, withoutToken: true },

  { why: 'unknown action', method: 'POST', path: PATTERNS, body: { action: 'explode' } },
  {
    why: 'invalid regular expression',
    method: 'POST',
    path: PATTERNS,
    body: { action: 'add_pattern', section: 'blocked', pattern: '(' },
  },
  {
    why: 'pattern with exponential running time',
    method: 'POST',
    path: PATTERNS,
    body: { action: 'add_pattern', section: 'blocked', pattern: '^(a+)+\\1$' },
  },
  {
    why: 'unknown path',
    method: 'POST',
    path: PATTERNS,
    body: { action: 'remove_path', tier: 'readOnly', path: '/nowhere' },
  },
  {
    why: 'outdated version of the file',
    method: 'POST',
    path: PATTERNS,
    body: { ...readOnly, revision: 'older' },
  },
  {
    why: 'body too large',
    method: 'POST',
    path: PATTERNS,
    body: { ...readOnly, path: tooLong(LIMITS.daemonBodyBytes) },
  },
  { why: 'content is missing', method: 'POST', path: RULES, body: {} },
  { why: 'incomplete JSON', method: 'POST', path: RULES, text: '{"content": ' },
  {
    why: 'outdated version of the file',
    method: 'POST',
    path: RULES,
    body: { content: 'x' },
    headers: { 'if-match': '"older"' },
  },
  {
    why: 'body too large',
    method: 'POST',
    path: RULES,
    body: { content: tooLong(LIMITS.securityRulesBytes) },
  },

  { why: 'unknown domain', method: 'GET', path: '/api/knowledge?domain=aliens' },
  { why: 'unknown note', method: 'GET', path: '/api/knowledge/people/nobody' },
  { why: 'unknown domain', method: 'GET', path: '/api/knowledge/aliens/bob' },
  { why: 'path outside the archive', method: 'GET', path: '/api/knowledge/people/..%2F..%2Ftoken' },
  { why: 'unknown note', method: 'PUT', path: '/api/knowledge/ideas/none', body: { content: 'x' } },
  {
    why: 'path outside the archive',
    method: 'PUT',
    path: '/api/knowledge/people/..%2Fx',
    body: { content: 'x' },
  },
  { why: 'content is missing', method: 'PUT', path: NOTE, body: { content: '' } },
  {
    why: 'outdated version of the note',
    method: 'PUT',
    path: NOTE,
    body: { content: 'x' },
    headers: { 'if-match': '"older"' },
  },
  {
    why: 'the note already exists',
    method: 'PUT',
    path: NOTE,
    body: { content: 'x' },
    headers: { 'if-none-match': '*' },
  },
  {
    why: 'body too large',
    method: 'PUT',
    path: NOTE,
    body: { content: tooLong(LIMITS.noteBytes) },
  },

  { why: 'limit below 1', method: 'GET', path: '/api/wiki/search?q=x&limit=0' },
  { why: 'query too long', method: 'GET', path: `/api/wiki/search?q=${tooLong(400)}` },
  { why: 'unknown document', method: 'GET', path: '/api/wiki/graph?around=docs%2Fnone' },
  { why: 'depth above the limit', method: 'GET', path: '/api/wiki/graph?depth=99' },

  { why: 'value above 100', method: 'PATCH', path: TRAITS, body: { warmth: 101 } },
  { why: 'unknown trait', method: 'PATCH', path: TRAITS, body: { warmht: 50 } },
  { why: 'no trait given', method: 'PATCH', path: TRAITS, body: {} },
  { why: 'description is missing', method: 'POST', path: TASKS, body: { action: notify } },
  {
    why: 'unreadable time',
    method: 'POST',
    path: TASKS,
    body: { description: 'x', schedule: 'whenever', action: notify },
  },
  {
    why: 'minute out of range',
    method: 'POST',
    path: TASKS,
    body: { description: 'x', schedule: { cron: '61 * * * *' }, action: notify },
  },
  {
    why: 'scripts are not allowed',
    method: 'POST',
    path: TASKS,
    body: { description: 'x', action: { type: 'script', command: ['ls'] } },
  },
  {
    why: 'body too large',
    method: 'POST',
    path: TASKS,
    body: { description: 'x', action: { ...notify, message: tooLong(LIMITS.taskBodyBytes) } },
  },
  { why: 'unknown task', method: 'DELETE', path: `${TASKS}/none` },
]
