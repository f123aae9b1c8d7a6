import type { ComposedAgent } from '@steward/contract'
import { stringify } from 'yaml'

/** One or several composed agents as YAML, with the same fields as the JSON. */
export const renderAgentYaml = (agents: ComposedAgent | readonly ComposedAgent[]): string =>
  stringify(agents, { lineWidth: 0 })
