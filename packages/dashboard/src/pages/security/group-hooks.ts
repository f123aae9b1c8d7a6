import type { HookDetail } from '@steward/contract'

/** The hooks of one assistant. */
export interface HostHooks {
  host: HookDetail['host']
  registeredIn: string
  problem: string | null
  /** All, some, or none are registered. */
  state: 'all' | 'some' | 'none'
  hooks: (HookDetail & { key: string })[]
}

/** By assistant: connected ones first, in answer order. */
export const groupHooks = (details: Readonly<Record<string, HookDetail>>): HostHooks[] => {
  const byHost = new Map<string, HostHooks>()
  for (const [key, detail] of Object.entries(details)) {
    const { host, registeredIn, problem } = detail
    const group = byHost.get(host) ?? { host, registeredIn, problem, state: 'none', hooks: [] }
    byHost.set(host, { ...group, hooks: [...group.hooks, { ...detail, key }] })
  }
  const groups = [...byHost.values()].map((group) => ({ ...group, state: stateOf(group.hooks) }))
  const rank = ({ state, problem }: HostHooks): number =>
    state === 'none' && problem === null ? 1 : 0
  return groups.sort((a, b) => rank(a) - rank(b))
}

const stateOf = (hooks: readonly HookDetail[]): HostHooks['state'] => {
  const count = hooks.filter(({ registered }) => registered).length
  if (count === 0) return 'none'
  return count === hooks.length ? 'all' : 'some'
}
