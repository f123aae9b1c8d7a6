import type { ToolUse } from '../log-view.ts'

type Called = Pick<ToolUse, 'kind' | 'name'>

/** Read-only tools: running one again after a crash does no harm. */
const LOOKING: ReadonlySet<string> = new Set(['read', 'glob', 'grep', 'web_fetch', 'web_search'])
export const onlyLooks = ({ kind, name }: Called): boolean => kind === 'tool' && LOOKING.has(name)

/** The tools of a coordinator. */
export const DELEGATION_TOOLS = ['list_agents', 'send_to_agent'] as const
const DELEGATING: ReadonlySet<string> = new Set(DELEGATION_TOOLS)
export const delegates = ({ kind, name }: Called): boolean =>
  kind === 'tool' && DELEGATING.has(name)

/** Tools that always run on the server, wherever the sandbox is. */
const SERVER_SIDE: ReadonlySet<string> = new Set(['web_fetch', 'web_search'])
export const runsOnServer = ({ kind, name }: Called): boolean =>
  kind === 'mcp' || SERVER_SIDE.has(name) || DELEGATING.has(name)
