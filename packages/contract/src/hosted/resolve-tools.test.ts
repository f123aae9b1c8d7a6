import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PERMISSION_POLICIES } from './permission-policy.ts'
import { resolveTools, settingOfTool } from './resolve-tools.ts'
import { agentTool, agentToolGiven } from './tools.ts'
import { TOOLSET_TOOLS } from './toolset.ts'

const orNothing = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null })
const policy = fc.record({ type: fc.constantFrom(...PERMISSION_POLICIES) })
const setting = fc.record(
  { enabled: orNothing(fc.boolean()), permission_policy: orNothing(policy) },
  { requiredKeys: [] },
)
const source = fc.constantFrom('all', 'none', { type: 'all' }, { type: 'none' }, null)
const config = fc.oneof(
  fc.tuple(fc.constantFrom(...TOOLSET_TOOLS), setting).map(([name, given]) => ({ ...given, name })),
  fc
    .tuple(setting, fc.record({ user_input: source, client_tool_results: source }))
    .map(([given, url_sources]) => ({ ...given, name: 'web_fetch', url_sources })),
)
const tool = fc.oneof(
  fc.record(
    {
      type: fc.constant('agent_toolset_20260401'),
      default_config: orNothing(setting),
      configs: fc.array(config, { maxLength: 4 }),
    },
    { requiredKeys: ['type'] },
  ),
  fc.record(
    {
      type: fc.constant('mcp_toolset'),
      mcp_server_name: fc.constant('files'),
      default_config: orNothing(setting),
      configs: fc.array(
        setting.map((given) => ({ ...given, name: 'find' })),
        { maxLength: 2 },
      ),
    },
    { requiredKeys: ['type', 'mcp_server_name'] },
  ),
  fc.record({
    type: fc.constant('custom'),
    name: fc.constant('look_up'),
    description: fc.string(),
    input_schema: fc.record(
      {
        type: fc.constant('object'),
        properties: orNothing(fc.dictionary(fc.string(), fc.jsonValue())),
        required: orNothing(fc.array(fc.string())),
        additionalProperties: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  }),
)
const tools = fc.array(tool, { maxLength: 4 }).map((each) => agentToolGiven.array().parse(each))

test('resolved tools are whole, and sent back they stay as they are', () => {
  fc.assert(
    fc.property(tools, (given) => {
      const resolved = resolveTools(given)
      expect(agentTool.array().parse(resolved)).toEqual(resolved)
      expect(resolveTools(agentToolGiven.array().parse(resolved))).toEqual(resolved)
      expect(resolved.map(({ type }) => type)).toEqual(given.map(({ type }) => type))
    }),
  )
})

test('the short form of the toolset enables everything', () => {
  expect(resolveTools([{ type: 'agent_toolset_20260401' }])).toEqual([
    {
      type: 'agent_toolset_20260401',
      default_config: { enabled: true, permission_policy: { type: 'always_allow' } },
      configs: [],
    },
  ])
})

test('tools of a foreign server are asked about, and a schema has its type', () => {
  const given = agentToolGiven.array().parse([
    { type: 'mcp_toolset', mcp_server_name: 'files', configs: [{ name: 'find', enabled: false }] },
    { type: 'custom', name: 'now', description: '', input_schema: { properties: null, strict: 1 } },
  ])
  expect(resolveTools(given)).toEqual([
    {
      type: 'mcp_toolset',
      mcp_server_name: 'files',
      default_config: { enabled: true, permission_policy: { type: 'always_ask' } },
      configs: [{ name: 'find', enabled: false, permission_policy: { type: 'always_ask' } }],
    },
    { type: 'custom', name: 'now', description: '', input_schema: { type: 'object', strict: 1 } },
  ])
})

test('a tool without its own configuration inherits that of its toolset', () => {
  const [toolset] = resolveTools([
    {
      type: 'agent_toolset_20260401',
      default_config: { enabled: false },
      configs: [{ name: 'bash', enabled: true, permission_policy: { type: 'always_ask' } }],
    },
  ])
  if (toolset?.type !== 'agent_toolset_20260401') throw new Error('no toolset')
  expect(settingOfTool(toolset, 'grep').enabled).toBe(false)
  expect(settingOfTool(toolset, 'bash').permission_policy.type).toBe('always_ask')
})

test.each([
  [{ name: 'web_fetch', allowed_domains: ['a.com'], blocked_domains: ['b.com'] }],
  [{ name: 'web_search', allowed_domains: [] }],
  [{ name: 'web_search', allowed_domains: ['https://a.com'] }],
  [{ name: 'bash', type: 'read' }],
  [{ name: 'rm' }],
  [{ name: 'bash', enabeld: true }],
])('%o is no configuration', (given) => {
  const toolset = { type: 'agent_toolset_20260401', configs: [given] }
  expect(agentToolGiven.safeParse(toolset).success).toBe(false)
})
