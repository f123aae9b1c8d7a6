import { ASSISTANTS } from '@steward/assistants'
import type { HostName } from '@steward/contract'

/** What an install registers with an assistant, in a few lines: how many hooks, and what they do. */
export const summarizeHooks = (host: HostName): string => {
  const entries = ASSISTANTS[host].hooks
  const asking = entries.filter(({ asks }) => asks !== undefined)
  const guarding = entries.filter(({ guards }) => guards === true)
  const reporting = entries.filter(({ asks, guards }) => asks === undefined && guards !== true)
  const groups = [
    { hooks: reporting, does: 'report what the assistant does' },
    { hooks: guarding, does: 'check prompts and tool calls against your rules' },
    { hooks: asking, does: 'ask the daemon to check them too' },
  ].filter(({ hooks }) => hooks.length > 0)
  const lines = groups.map(({ hooks, does }) => {
    const events = [...new Set(hooks.map(({ event }) => event))]
    return `  ${String(hooks.length).padStart(2)} ${does}: ${events.join(', ')}\n`
  })
  return `  adds ${entries.length} hooks and keeps yours\n${lines.join('')}`
}
