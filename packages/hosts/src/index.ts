export { haltDraft, securityDrafts, verdictOf } from './guard/describe-judgement.ts'
export { BEFORE_PROMPT, BEFORE_TOOL, detectHost } from './guard/detect-host.ts'
export { guardLaunch, type LaunchPlace } from './guard/guard-launch.ts'
export { haltOf, haltVerdict } from './guard/halted.ts'
export { type JudgePlace, judgeEvent } from './guard/judge-event.ts'
export { keepPolicy } from './guard/keep-policy.ts'
export type { PolicyState } from './guard/policy-state.ts'
export { protectedPaths } from './guard/protected-paths.ts'
export { realPathOf } from './guard/real-path.ts'
export { type Firing, firingsPath } from './hook/note-firing.ts'
export { hasHook } from './install/has-hook.ts'
export {
  GUARD_PATHS,
  HOOK_FILE,
  type HookOrigin,
  type HookProgram,
  isOurs,
} from './install/hook-program.ts'
export { HOOK_TABLE, type HookEntry } from './install/hook-table.ts'
export { type HostPlace, hostFile } from './install/host-files.ts'
export { addHooks, findHooks, removeHooks } from './install/merge-hooks.ts'
export { type PlannedChange, planInstall, planUninstall } from './install/plan-change.ts'
export { renderDiff } from './install/render-diff.ts'
export { renderPlugin } from './install/render-plugin.ts'
export { answerHost, isHostName, readHostEvent } from './read-host-event.ts'
