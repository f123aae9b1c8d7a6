import { describe, expect, it } from 'vitest'
import { findRival, rebaseDraft, sayAtField, startDraft, toEdit, toRemoval } from './rule-draft.ts'
import { PLACES, type RuleGroup } from './rule-groups.ts'

const groupOf = (id: string, ...texts: string[]): RuleGroup => {
  const place = PLACES.find((each) => each.id === id)
  if (place === undefined) throw new Error(`no place ${id}`)
  return {
    ...place,
    entries: texts.map((text, index) => ({
      rule: `${id}: ${text}`,
      text,
      reason: `why ${text}`,
      shadow: false,
      index,
      activity: { last7Days: 0, last30Days: 0, shadowed7Days: 0, shadowed30Days: 0 },
    })),
  }
}
const draftOf = (group: RuleGroup, index?: number) =>
  startDraft(group, 'r1', index === undefined ? undefined : group.entries[index])

describe('a rule that is edited while someone else edits', () => {
  const before = groupOf('bash.blocked', 'a', 'b', 'c')

  it('has no rival if another entry was changed, added or removed', () => {
    const draft = draftOf(before, 1)
    for (const texts of [['A', 'b', 'c'], ['x', 'a', 'b', 'c'], ['b'], ['c', 'b', 'a']]) {
      expect(findRival(draft, groupOf('bash.blocked', ...texts).entries)).toBeUndefined()
    }
  })

  it('goes to the current position of the entry', () => {
    const after = groupOf('bash.blocked', 'x', 'a', 'b', 'c')
    const draft = rebaseDraft({ ...draftOf(before, 1), text: 'mine' }, after, 'r2')
    expect(toEdit(draft)).toEqual({
      action: 'edit_pattern',
      section: 'blocked',
      index: 2,
      pattern: 'mine',
      reason: 'why b',
      revision: 'r2',
    })
  })

  it('shows the other version of the same entry', () => {
    const draft = draftOf(before, 1)
    const changed = groupOf('bash.blocked', 'a', 'theirs', 'c')
    expect(findRival(draft, changed.entries)).toMatchObject({ theirs: { text: 'theirs' } })
    const reworded = before.entries.map((entry) => ({ ...entry, reason: 'other' }))
    expect(findRival(draft, reworded)).toMatchObject({ theirs: { text: 'b', reason: 'other' } })
  })

  it('is added again when they removed it', () => {
    const draft = { ...draftOf(before, 1), text: 'mine' }
    const after = groupOf('bash.blocked', 'a', 'c')
    expect(findRival(draft, after.entries)).toEqual({})
    expect(toEdit(rebaseDraft(draft, after, 'r2'))).toMatchObject({
      action: 'add_pattern',
      pattern: 'mine',
      revision: 'r2',
    })
  })

  it('conflicts with a new entry only if it has the same text', () => {
    const draft = { ...draftOf(before), text: 'new' }
    expect(findRival(draft, before.entries)).toBeUndefined()
    const after = groupOf('bash.blocked', 'a', 'b', 'c', 'new')
    expect(findRival(draft, after.entries)).toMatchObject({ theirs: { text: 'new' } })
  })
})

describe('the edits of a path', () => {
  const group = groupOf('paths.readOnly', '/opt')

  it('name the tier', () => {
    expect(toEdit({ ...draftOf(group), text: '/srv' })).toEqual({
      action: 'add_path',
      tier: 'readOnly',
      path: '/srv',
      revision: 'r1',
    })
    expect(toEdit({ ...draftOf(group, 0), text: '/srv' })).toMatchObject({
      action: 'edit_path',
      index: 0,
    })
    expect(toRemoval(group, '/opt')).toEqual({
      action: 'remove_path',
      tier: 'readOnly',
      path: '/opt',
    })
  })
})

describe('a refusal beside its field', () => {
  it('only shows the error', () => {
    expect(sayAtField('the body: pattern: must not be empty')).toBe('must not be empty')
    expect(sayAtField('the change: / is every path there is')).toBe('/ is every path there is')
    expect(sayAtField('the pattern (a: it has a ( that is not closed')).toBe(
      'the pattern (a: it has a ( that is not closed',
    )
  })
})
