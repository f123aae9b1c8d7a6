import { describe, expect, it } from 'vitest'
import { compilePolicy } from '../policy/compile-policy.ts'
import { DEFAULT_RULES } from '../policy/default-policy.ts'
import { openPolicy } from '../policy/open-policy.ts'
import { judgeCommand } from './judge-command.ts'
import { judgeNamedPath } from './judge-tool.ts'

const open = (text: string, more: { shadow?: boolean; protectedPaths?: string[] } = {}) => {
  const policy = openPolicy({ text, home: '/home/u', dataHome: '/home/u/.steward', ...more })
  if (!policy.ok) throw policy.error
  return policy.value
}
const place = { cwd: '/home/u/proj' }

describe('path tiers', () => {
  const tiers = open(`paths:
  zeroAccess: [/t/zero, '!/t/zero/open']
  alertAccess: [/t/alert]
  confirmAccess: [/t/confirm]
  readOnly: [/t/read]
  confirmWrite: [/t/write]
  noDelete: [/t/keep]
`)
  it.each([
    ['zero', 'deny', 'deny', 'deny'],
    ['zero/open', 'pass', 'pass', 'pass'],
    ['alert', 'alert', 'alert', 'alert'],
    ['confirm', 'ask', 'ask', 'ask'],
    ['read', 'pass', 'deny', 'deny'],
    ['write', 'pass', 'ask', 'ask'],
    ['keep', 'pass', 'pass', 'deny'],
    ['other', 'pass', 'pass', 'pass'],
  ])('%s: read %s, write %s, delete %s', (name, ...verdicts) => {
    const said = (['read', 'write', 'delete'] as const).map(
      (access) => judgeNamedPath(`/t/${name}/x`, access, tiers, place).verdict,
    )
    expect(said).toEqual(verdicts)
  })

  it('says which rule, tier, effect and path', () => {
    expect(judgeCommand('rm -f /t/keep/x', tiers, place)).toMatchObject({
      verdict: 'deny',
      rule: 'paths.noDelete: /t/keep',
      tier: 'noDelete',
      effect: 'delete',
      path: '/t/keep/x',
      part: 'rm -f /t/keep/x',
      reason: expect.stringContaining('/t/keep/x'),
    })
  })
})

describe('rules in shadow', () => {
  const text = `shadow: [paths.readOnly]
bash:
  blocked: [{ pattern: '^danger', reason: no, shadow: true }]
  alert: [{ pattern: '^danger now' }]
paths: { readOnly: [/t], noDelete: [/t/keep] }
`
  it('say what they would have done, and decide nothing', () => {
    const policy = open(text)
    expect(judgeCommand('danger', policy, place)).toMatchObject({
      verdict: 'pass',
      shadowed: [{ verdict: 'deny', rule: 'bash.blocked: ^danger', tier: 'blocked' }],
    })
    expect(judgeCommand('danger now > /t/a', policy, place)).toMatchObject({
      verdict: 'alert',
      shadowed: [{ rule: 'bash.blocked: ^danger' }, { rule: 'paths.readOnly: /t', path: '/t/a' }],
    })
    expect(judgeCommand('rm -f /t/keep/x', policy, place).verdict).toBe('deny')
    expect(judgeCommand('ls', policy, place).shadowed).toBeUndefined()
  })

  it('may be all of the file, but never what is built in', () => {
    const policy = open(text, { shadow: true })
    expect(judgeCommand('touch /t/x', policy, place)).toMatchObject({ verdict: 'pass' })
    expect(judgeCommand('rm -f /t/keep/x', policy, place)).toMatchObject({
      verdict: 'ask',
      rule: 'builtin:delete-outside',
      shadowed: [{ rule: 'paths.readOnly: /t' }, { rule: 'paths.noDelete: /t/keep' }],
    })
    expect(judgeCommand('rm -rf ~', policy, place).verdict).toBe('deny')
    expect(judgeCommand('rm ~/.steward/settings.json', policy, place).verdict).toBe('deny')
  })
})

describe('rules of a project', () => {
  const policy = open(`bash: { confirm: [{ pattern: '^deploy' }] }
projects:
  ~/proj:
    bash: { trusted: [{ pattern: '^deploy staging' }], blocked: [{ pattern: '^deploy prod' }] }
    paths: { readOnly: [/home/u/proj/vendor] }
  old: { path: /srv/old, rules: [{ action: x }] }
`)
  it('hold in its directory, besides the others', () => {
    const say = (command: string, cwd: string) => judgeCommand(command, policy, { cwd }).verdict
    expect(say('deploy prod', '/home/u/proj/sub')).toBe('deny')
    expect(say('deploy staging', '/home/u/proj')).toBe('pass')
    expect(say('deploy staging', '/home/u/other')).toBe('ask')
    expect(say('touch vendor/x', '/home/u/proj')).toBe('deny')
    expect(say('touch vendor/x', '/home/u/other')).toBe('pass')
    expect(judgeNamedPath('vendor/x', 'write', policy, place).rule).toContain('projects.~/proj.')
  })

  it('are warned about where nobody reads them', () => {
    expect(policy.warnings).toEqual([expect.stringContaining('projects.old.rules')])
  })
})

describe('places that the caller names', () => {
  it('cannot be changed, whatever the file says', () => {
    const policy = open('paths: {}', {
      protectedPaths: ['/opt/s/steward-hook.mjs', '~/.x/hooks.json'],
    })
    const say = (command: string) => judgeCommand(command, policy, place)
    expect(say('sed -i s/a/b/ /opt/s/steward-hook.mjs')).toMatchObject({
      verdict: 'deny',
      tier: 'builtin',
    })
    expect(say('rm -rf /opt/s').verdict).toBe('deny')
    expect(say('echo > ~/.x/hooks.json').verdict).toBe('deny')
    expect(say('cat ~/.x/hooks.json').verdict).toBe('pass')
  })

  it('hold for rules that were read elsewhere too', () => {
    const policy = compilePolicy(DEFAULT_RULES, {
      home: '/home/u',
      dataHome: '/d',
      protectedPaths: ['/p'],
    })
    expect(judgeCommand('rm /p', policy, place).verdict).toBe('deny')
    expect(judgeCommand('rm /d/USER/SECURITY/PATTERNS.yaml', policy, place).verdict).toBe('deny')
  })
})
