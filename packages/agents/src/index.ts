export type { ChosenVoice, VoiceIds } from './compose/choose-voice.ts'
export { type ComposeRequest, composeAgent } from './compose/compose-agent.ts'
export { composeSeveral } from './compose/compose-several.ts'
export { renderAgentYaml } from './compose/render-yaml.ts'
export { readTraitData } from './compose/trait-data.ts'
export {
  type NamedAgentFile,
  parseNamedAgent,
  renderNamedAgent,
  rosterEntryOf,
  slugOfAgent,
} from './named/named-agent.ts'
export { renderClaudeAgent } from './named/render-host-agent.ts'
export { parseSavedAgent, renderSavedAgent } from './named/saved-agent.ts'
export * from './observers/index.ts'
export type { RosterEntry, RouteContext } from './routing/context.ts'
export { explainRoute } from './routing/explain-route.ts'
export { type FoundType, findType } from './routing/find-type.ts'
export { route } from './routing/route.ts'
export { DEFAULT_ROUTING, openRouting, type Routing } from './routing/routing.ts'
export {
  createWatchdog,
  type PastEvents,
  type Watchdog,
  type WatchdogPorts,
} from './watchdog/create-watchdog.ts'
export { describeSilence } from './watchdog/describe-silence.ts'
export type { SilenceAlert } from './watchdog/look-for-silence.ts'
