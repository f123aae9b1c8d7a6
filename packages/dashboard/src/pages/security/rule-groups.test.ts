import { describe, expect, it } from 'vitest'
import { filterGroups, findRule, readGroups } from './rule-groups.ts'

const rule = (pattern: string, shadow = false) => ({
  pattern,
  reason: `because of ${pattern}`,
  rule: `bash.blocked: ${pattern}`,
  shadow,
})
const count = (name: string, shadow: boolean, last7Days: number, lastAt: string) => ({
  rule: name,
  verdict: 'deny' as const,
  shadow,
  last7Days,
  last30Days: last7Days * 2,
  lastAt,
})
const overview = {
  blocked: [rule('^mkfs'), rule('^dd', true)],
  confirm: [],
  alerts: [],
  trusted: [],
  pathTiers: [
    {
      tier: 'readOnly' as const,
      effect: 'must not be changed',
      paths: ['/opt'],
      rules: [{ path: '/opt', rule: 'paths.readOnly: /opt', shadow: false }],
    },
  ],
  ruleCounts: [
    count('bash.blocked: ^dd', true, 3, '2026-11-02'),
    count('bash.blocked: ^dd', false, 1, '2026-11-01'),
  ],
}

describe('the lists of the policy', () => {
  it('are all there, empty ones for adding to them', () => {
    const groups = readGroups(overview)
    expect(groups).toHaveLength(10)
    expect(groups.map(({ entries }) => entries.length)).toEqual([2, 0, 0, 0, 0, 0, 0, 1, 0, 0])
  })

  it('separate enforced from shadow matches', () => {
    expect(findRule(readGroups(overview), 'bash.blocked: ^dd')?.entry.activity).toEqual({
      last7Days: 1,
      last30Days: 2,
      shadowed7Days: 3,
      shadowed30Days: 6,
      lastAt: '2026-11-02',
    })
  })

  it('are searched by pattern and reason, and keep their indexes', () => {
    const groups = readGroups(overview)
    const [blocked] = filterGroups(groups, 'OF ^DD')
    expect(blocked?.entries.map(({ text, index }) => [text, index])).toEqual([['^dd', 1]])
    const shadowed = filterGroups(groups, '', { onlyShadow: true })
    expect(shadowed.flatMap(({ entries }) => entries)).toHaveLength(1)
    const active = filterGroups(groups, '', { onlyActive: true })
    expect(active.flatMap(({ entries }) => entries).map(({ text }) => text)).toEqual(['^dd'])
  })

  it('find a rule by its name, and report an unknown one', () => {
    const groups = readGroups(overview)
    expect(findRule(groups, 'paths.readOnly: /opt')?.group.id).toBe('paths.readOnly')
    expect(findRule(groups, 'builtin:home')).toBeUndefined()
  })
})
