import type { PolicyEdit } from '@steward/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsePolicy } from '../policy/parse-policy.ts'
import { editPolicy } from './edit-policy.ts'
import { STARTING_POLICY } from './starting-text.ts'

const TODAY = '2026-03-01'
const edit = (text: string | undefined, ...edits: PolicyEdit[]): string => {
  let now = text
  for (const each of edits) {
    const result = editPolicy(now, each, TODAY)
    if (!result.ok) throw result.error
    now = result.value
  }
  return now ?? ''
}
const read = (text: string) => {
  const parsed = parsePolicy(text)
  if (!parsed.ok) throw parsed.error
  return parsed.value.policy
}

const FILE = `# Mine, since 2024
version: "1.0"
last_updated: "2024-01-01"

bash:
  # what I never want
  blocked:
    # disks
    - { pattern: '^mkfs', reason: makes a file system } # ask Ada
    - pattern: "^dd"
      reason: copies # block style
    # the end
    - { pattern: ^x, reason: '' }
  alert: []
paths:
  readOnly:
    # the system
    - /etc
    - "/usr/**"

projects: {} # none yet
`

const SMALL = `last_updated: ${TODAY}
# mine
bash:
  alert: []
`

describe('editPolicy', () => {
  it('makes the requested change and no other', () => {
    const text = edit(
      FILE,
      { action: 'add_pattern', section: 'blocked', pattern: "^it's: #1", reason: 'odd: one' },
      { action: 'edit_pattern', section: 'blocked', index: 1, reason: 'copies blindly' },
      { action: 'add_path', tier: 'noDelete', path: '~/x y/**' },
    )
    expect(text).toBe(
      FILE.replace('2024-01-01', TODAY)
        .replace('copies #', 'copies blindly #')
        .replace(
          "reason: '' }\n",
          "reason: '' }\n    - { pattern: '^it''s: #1', reason: \"odd: one\" }\n",
        )
        .replace('"/usr/**"\n', '"/usr/**"\n  noDelete:\n    - ~/x y/**\n'),
    )
  })

  it('keeps the comments above a removed entry, wherever they are', () => {
    const text = edit(
      FILE,
      { action: 'remove_pattern', section: 'blocked', index: 2 },
      { action: 'remove_pattern', section: 'blocked', pattern: '^mkfs' },
      { action: 'remove_path', tier: 'readOnly', index: 0, path: '/etc' },
    )
    for (const comment of ['# Mine', '# what I never', '# disks', '# the end', '# the system']) {
      expect(text).toContain(comment)
    }
    expect(read(text).bash.blocked).toEqual([{ pattern: '^dd', reason: 'copies' }])
    expect(read(text).paths.readOnly).toEqual(['/usr/**'])
  })

  it('starts from the built-in policy, with comments, if there is no file', () => {
    expect(read(STARTING_POLICY)).toEqual(read(STARTING_POLICY.replaceAll(/^#.*\n/gm, '')))
    const text = edit(undefined, {
      action: 'add_pattern',
      section: 'trusted',
      pattern: '^ls',
      reason: '',
    })
    expect(text.startsWith('# What the guards refuse')).toBe(true)
    expect(text.replace('last_updated: 2026-03-01\n', '')).toBe(
      STARTING_POLICY.replace('trusted: []', 'trusted:\n    - { pattern: \'^ls\', reason: "" }'),
    )
  })

  it('puts single rules, sections and the whole policy in shadow, and removes the shadow with the rule', () => {
    const shadowed = edit(
      FILE,
      { action: 'set_shadow', rule: 'bash.blocked: ^mkfs', shadow: true },
      { action: 'set_shadow', rule: 'paths.readOnly: /etc', shadow: true },
      { action: 'set_shadow', rule: 'paths.readOnly: /etc', shadow: true },
      { action: 'set_shadow', rule: 'bash.alert', shadow: true },
    )
    expect(read(shadowed)).toMatchObject({
      shadow: ['paths.readOnly: /etc', 'bash.alert'],
      bash: { blocked: [{ pattern: '^mkfs', shadow: true }, {}, {}] },
    })
    const changed = edit(
      shadowed,
      { action: 'edit_path', tier: 'readOnly', index: 0, path: '/etc/x' },
      { action: 'set_shadow', rule: 'bash.alert', shadow: false },
      { action: 'set_shadow', rule: 'bash.blocked: ^mkfs', shadow: false },
    )
    expect(read(changed)).toMatchObject({ shadow: false })
    expect(changed).not.toContain('shadow')
    const whole = edit(FILE, { action: 'set_shadow', rule: '*', shadow: true })
    expect(read(whole).shadow).toBe(true)
    expect(() => edit(whole, { action: 'set_shadow', rule: 'bash.alert', shadow: false })).toThrow(
      /whole policy/,
    )
  })

  it.each<[string, PolicyEdit, string]>([
    [
      'an invalid regular expression',
      { action: 'add_pattern', section: 'alert', pattern: '(', reason: '' },
      'invalid_input',
    ],
    [
      'a back reference',
      { action: 'add_pattern', section: 'alert', pattern: '(a)\\1', reason: '' },
      'invalid_input',
    ],
    [
      'a duplicate pattern',
      { action: 'add_pattern', section: 'blocked', pattern: '^mkfs', reason: '' },
      'invalid_input',
    ],
    [
      'an index out of range',
      { action: 'edit_pattern', section: 'blocked', index: 3, reason: '' },
      'invalid_input',
    ],
    [
      'an edit without changes',
      { action: 'edit_pattern', section: 'blocked', index: 0 },
      'invalid_input',
    ],
    [
      'an unknown pattern',
      { action: 'remove_pattern', section: 'blocked', pattern: 'x' },
      'not_found',
    ],
    [
      'an index and a path that disagree',
      { action: 'remove_path', tier: 'readOnly', index: 0, path: '/x' },
      'invalid_input',
    ],
    ['every path', { action: 'add_path', tier: 'readOnly', path: '/**' }, 'invalid_input'],
    [
      'a path with a line break',
      { action: 'add_path', tier: 'readOnly', path: '/a\nb' },
      'invalid_input',
    ],
    [
      'an unknown rule',
      { action: 'set_shadow', rule: 'paths.readOnly: /no', shadow: true },
      'not_found',
    ],
    [
      'a rule outside any section',
      { action: 'set_shadow', rule: 'builtin:x', shadow: true },
      'not_found',
    ],
  ])('refuses %s', (_, change, code) => {
    expect(editPolicy(FILE, change, TODAY)).toMatchObject({ ok: false, error: { code } })
  })

  it('does not change a file that is not a valid policy', () => {
    const add: PolicyEdit = { action: 'add_path', tier: 'readOnly', path: '/x' }
    for (const text of ['bash: [', 'bash: {blokked: []}', 'a: &a [1]\nb: *a', '- x']) {
      expect(editPolicy(text, add, TODAY)).toMatchObject({
        ok: false,
        error: { code: 'rejected_content' },
      })
    }
    expect(edit('# only words\n', add)).toContain('# only words')
    expect(edit('bash:\r\n  alert: []\r\n', add)).toContain('    - /x\r\n')
  })

  it('reads back any added entry unchanged', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 60, unit: 'binary' }), (text) => {
        const added = editPolicy(
          SMALL,
          { action: 'add_pattern', section: 'alert', pattern: text, reason: text },
          TODAY,
        )
        if (!added.ok) return
        expect(read(added.value).bash.alert).toEqual([{ pattern: text, reason: text }])
        const removed = edit(added.value, {
          action: 'remove_pattern',
          section: 'alert',
          pattern: text,
        })
        expect(removed).toBe(SMALL)
      }),
      { numRuns: 40 },
    )
  })
})

describe('a malicious policy', () => {
  const bomb = `a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nbash: *c\n`
  it.each([
    ['a billion laughs', bomb],
    ['deep nesting', '['.repeat(900_000)],
    ['deep nesting with closed brackets', `${'{a: '.repeat(150_000)}1${'}'.repeat(150_000)}`],
    ['deep nesting by dashes', `${'- '.repeat(400_000)}x`],
    ['a merge key', 'x: &x {trusted: [{pattern: ".*"}]}\nbash:\n  <<: *x\n'],
    ['two documents', 'bash: {}\n---\nbash: {}\n'],
    ['a duplicate key', 'bash: {}\nbash: {blocked: []}\n'],
    ['a file that is too large', `# ${'x'.repeat(1_100_000)}`],
    ['zero bytes', '\u0000\u0000'],
  ])('is rejected with a reason: %s', (_, text) => {
    const parsed = parsePolicy(text)
    expect(parsed).toMatchObject({ ok: false, error: { code: 'invalid_definition' } })
    if (!parsed.ok) expect(parsed.error.message.length).toBeLessThan(500)
  })

  it('cannot set keys that reach into object prototypes', () => {
    const parsed = parsePolicy('__proto__: {polluted: 1}\nconstructor: x\nbash: {}\n')
    expect(parsed.ok).toBe(true)
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })
})
