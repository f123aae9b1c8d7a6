import { HOSTS, type HostName, isJsonObject } from '@steward/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ASSISTANTS } from '../assistants.ts'
import { planInstall, planUninstall } from './plan-change.ts'

const PROGRAM = { node: '/opt/my node/bin/node', file: "/opt/it's/steward-hook.mjs", home: '/d/h' }
const JSON_HOSTS = HOSTS.filter((host) => host !== 'opencode')

const install = (host: HostName, before: string | undefined) =>
  planInstall(host, '/x/settings.json', before, PROGRAM).after ?? ''

const THEIRS = `{
    "model": "best",
    "hooks": {
        "PostToolUse": [
            { "matcher": "Edit", "hooks": [{ "type": "command", "command": "prettier" }] }
        ],
        "Stop": [],
        "Odd": [{"hooks": []}]
    },
    "env": {"A": "1"}
}`

describe('planInstall', () => {
  it('registers Claude Code hooks without a shell, the last events of a run waited for', () => {
    const settings: unknown = JSON.parse(install('claude', undefined))
    expect(settings).toMatchObject({
      hooks: {
        PostToolUse: [
          {
            matcher: '*',
            hooks: [
              {
                type: 'command',
                command: '/opt/my node/bin/node',
                args: [PROGRAM.file, 'PostToolUse', '--host', 'claude', '--home', '/d/h'],
                async: true,
              },
            ],
          },
        ],
      },
    })
    const { hooks } = isJsonObject(settings) ? settings : {}
    for (const event of ['Stop', 'SessionEnd']) {
      expect(JSON.stringify(isJsonObject(hooks) ? hooks[event] : '')).not.toContain('async')
    }
  })

  it('quotes for the shell where there is one, and counts in the unit of the host', () => {
    expect(JSON.parse(install('gemini', undefined))).toMatchObject({
      hooks: {
        SessionEnd: [
          {
            hooks: [
              {
                command: `'/opt/my node/bin/node' '/opt/it'\\''s/steward-hook.mjs' SessionEnd --host gemini --home /d/h`,
                timeout: 5000,
              },
            ],
          },
        ],
      },
    })
    expect(JSON.parse(install('cursor', undefined))).toMatchObject({ version: 1 })
  })

  it.each(JSON_HOSTS)(
    "leaves other programs' entries unchanged for %s, and its indentation",
    (host) => {
      const after = install(host, THEIRS)
      expect(JSON.parse(after)).toMatchObject({
        model: 'best',
        env: { A: '1' },
        hooks: {
          PostToolUse: expect.arrayContaining([
            { matcher: 'Edit', hooks: [{ type: 'command', command: 'prettier' }] },
          ]),
          Odd: [{ hooks: [] }],
        },
      })
      expect(after).toContain('\n    "model"')
    },
  )

  it.each(HOSTS)('is idempotent for %s', (host) => {
    const once = install(host, host === 'opencode' ? undefined : THEIRS)
    expect(install(host, once)).toBe(once)
  })

  it('replaces entries of an older location, and keeps other entries in place', () => {
    const old = install('claude', THEIRS).replaceAll(PROGRAM.file, '/old/steward-hook.mjs')
    const after = install('claude', old)
    expect(after).not.toContain('/old/')
    expect(after.match(/prettier/g)).toHaveLength(1)
    expect(after).toBe(install('claude', after))
  })

  it('refuses a file that it does not understand', () => {
    expect(() => install('claude', '{"hooks": 3}')).toThrow('hooks is not an object')
    expect(() => install('claude', '{"hooks": {"Stop": {}}}')).toThrow('hooks.Stop is not a list')
    expect(() => install('claude', '{ // comment\n}')).toThrow()
    expect(() => install('claude', '[]')).toThrow('not a JSON object')
  })
})

describe('planUninstall', () => {
  it('restores exactly the earlier text', () => {
    for (const host of HOSTS) {
      for (const before of [undefined, ...(host === 'opencode' ? [] : [THEIRS, '{}', ''])]) {
        const after = install(host, before)
        const plan = planUninstall(host, '/x', after, { before, after })
        expect(plan.after).toBe(before)
      }
    }
  })

  it('removes only our entries if someone changed the file meanwhile', () => {
    const after = install('claude', THEIRS)
    const changed = after.replace('"best"', '"other"')
    const plan = planUninstall('claude', '/x', changed, { before: THEIRS, after })
    expect(JSON.parse(plan.after ?? '')).toEqual({
      ...JSON.parse(THEIRS),
      model: 'other',
      hooks: { ...JSON.parse(THEIRS).hooks, Stop: undefined },
    })
  })

  it('removes all of ours and nothing of theirs, whatever the settings were', () => {
    const handler = fc.record({ type: fc.constant('command'), command: fc.string() })
    const group = fc.record({
      matcher: fc.string(),
      hooks: fc.array(handler, { minLength: 1, maxLength: 2 }),
    })
    const events = fc.constantFrom('Stop', 'PostToolUse', 'Mine', 'AfterTool', 'stop')
    const settings = fc.record({
      other: fc.jsonValue(),
      hooks: fc.dictionary(events, fc.array(group, { minLength: 1, maxLength: 3 })),
    })
    fc.assert(
      fc.property(fc.constantFrom(...JSON_HOSTS), settings, (host, given) => {
        const before = JSON.stringify(given)
        const after = install(host, before)
        for (const { event } of ASSISTANTS[host].hooks) expect(after).toContain(`"${event}"`)
        expect(install(host, after)).toBe(after)
        const removed: unknown = JSON.parse(planUninstall(host, '/x', after, undefined).after ?? '')
        const { hooks, ...rest } = JSON.parse(before)
        const version = host === 'cursor' ? { version: 1 } : {}
        expect(removed).toEqual({
          ...version,
          ...rest,
          ...(Object.keys(hooks).length === 0 ? {} : { hooks }),
        })
      }),
    )
  })
})
