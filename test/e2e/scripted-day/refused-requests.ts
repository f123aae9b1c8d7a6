import { LIMITS } from '@steward/contract'

export interface RefusedRequest {
  /** What is wrong with the request. */
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
  { why: 'no token', method: 'POST', path: PATTERNS, body: readOnly, withoutToken: true },
  { why: 'no token', method: 'POST', path: RULES, body: { content: 'x' }, withoutToken: true },
  { why: 'no token', method: 'PUT', path: NOTE, body: { content: 'x' }, withoutToken: true },
  { why: 'no token', method: 'PATCH', path: TRAITS, body: { warmth: 1 }, withoutToken: true },
  {
    why: 'no token',
    method: 'POST',
    path: TASKS,
    body: { description: 'x', action: notify },
    withoutToken: true,
  },
  { why: 'no token', method: 'DELETE', path: `${TASKS}/call-ada`, withoutToken: true },

  { why: 'no such action', method: 'POST', path: PATTERNS, body: { action: 'explode' } },
  {
    why: 'a pattern that is none',
    method: 'POST',
    path: PATTERNS,
    body: { action: 'add_pattern', section: 'blocked', pattern: '(' },
  },
  {
    why: 'a pattern that would take forever',
    method: 'POST',
    path: PATTERNS,
    body: { action: 'add_pattern', section: 'blocked', pattern: '^(a+)+\\1$' },
  },
  {
    why: 'no such path',
    method: 'POST',
    path: PATTERNS,
    body: { action: 'remove_path', tier: 'readOnly', path: '/nowhere' },
  },
  {
    why: 'the file was another then',
    method: 'POST',
    path: PATTERNS,
    body: { ...readOnly, revision: 'older' },
  },
  {
    why: 'too long',
    method: 'POST',
    path: PATTERNS,
    body: { ...readOnly, path: tooLong(LIMITS.daemonBodyBytes) },
  },
  { why: 'nothing to save', method: 'POST', path: RULES, body: {} },
  { why: 'no JSON', method: 'POST', path: RULES, text: '{"content": ' },
  {
    why: 'the file was another then',
    method: 'POST',
    path: RULES,
    body: { content: 'x' },
    headers: { 'if-match': '"older"' },
  },
  {
    why: 'too long',
    method: 'POST',
    path: RULES,
    body: { content: tooLong(LIMITS.securityRulesBytes) },
  },

  { why: 'no such domain', method: 'GET', path: '/api/knowledge?domain=aliens' },
  { why: 'no such note', method: 'GET', path: '/api/knowledge/people/nobody' },
  { why: 'no such domain', method: 'GET', path: '/api/knowledge/aliens/bob' },
  { why: 'a way out', method: 'GET', path: '/api/knowledge/people/..%2F..%2Ftoken' },
  { why: 'no such note', method: 'PUT', path: '/api/knowledge/ideas/none', body: { content: 'x' } },
  { why: 'a way out', method: 'PUT', path: '/api/knowledge/people/..%2Fx', body: { content: 'x' } },
  { why: 'nothing to save', method: 'PUT', path: NOTE, body: { content: '' } },
  {
    why: 'the note was another then',
    method: 'PUT',
    path: NOTE,
    body: { content: 'x' },
    headers: { 'if-match': '"older"' },
  },
  {
    why: 'there is one',
    method: 'PUT',
    path: NOTE,
    body: { content: 'x' },
    headers: { 'if-none-match': '*' },
  },
  { why: 'too long', method: 'PUT', path: NOTE, body: { content: tooLong(LIMITS.noteBytes) } },

  { why: 'too few wanted', method: 'GET', path: '/api/wiki/search?q=x&limit=0' },
  { why: 'too long', method: 'GET', path: `/api/wiki/search?q=${tooLong(400)}` },
  { why: 'no such document', method: 'GET', path: '/api/wiki/graph?around=docs%2Fnone' },
  { why: 'too deep', method: 'GET', path: '/api/wiki/graph?depth=99' },

  { why: 'beyond 100', method: 'PATCH', path: TRAITS, body: { warmth: 101 } },
  { why: 'no such trait', method: 'PATCH', path: TRAITS, body: { warmht: 50 } },
  { why: 'no trait at all', method: 'PATCH', path: TRAITS, body: {} },
  { why: 'no description', method: 'POST', path: TASKS, body: { action: notify } },
  {
    why: 'no such time',
    method: 'POST',
    path: TASKS,
    body: { description: 'x', schedule: 'whenever', action: notify },
  },
  {
    why: 'no such minute',
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
    why: 'too long',
    method: 'POST',
    path: TASKS,
    body: { description: 'x', action: { ...notify, message: tooLong(LIMITS.taskBodyBytes) } },
  },
  { why: 'no such task', method: 'DELETE', path: `${TASKS}/none` },
]
