import type { ComposedAgent } from '@steward/contract'
import { stringify } from 'yaml'

/** A composed agent, or several, as YAML: the same fields as the JSON. */
export const renderAgentYaml = (agents: ComposedAgent | readonly ComposedAgent[]): string =>
  stringify(agents, { lineWidth: 0 })
