export { confineAgent } from './acp/confine-agent.ts'
export type { DriveSpec } from './acp/drive-spec.ts'
export { findProgram } from './acp/find-program.ts'
export { installAdapter } from './acp/install-adapter.ts'
export { type Agent, openAgent, type PermissionAsked } from './acp/open-agent.ts'
export type { AgentUpdate } from './acp/read-update.ts'
export type { Assistant, HostPlace } from './assistant.ts'
export {
  ASSISTANTS,
  answerHost,
  detectHost,
  hostFile,
  isHostName,
  readHostEvent,
} from './assistants.ts'
export { checkHosts } from './check/check-hosts.ts'
export { inspectHost } from './check/inspect-host.ts'
export { readFirings } from './check/read-firings.ts'
export { renderPlugin } from './claude/render-plugin.ts'
export { callAt } from './guard/call-at.ts'
export { haltDraft, securityDrafts, verdictOf } from './guard/describe-judgement.ts'
export { guardLaunch, type LaunchPlace } from './guard/guard-launch.ts'
export { haltOf, haltVerdict } from './guard/halted.ts'
export { type JudgePlace, judgeEvent } from './guard/judge-event.ts'
export { keepPolicy, openDraftPolicy } from './guard/keep-policy.ts'
export type { PolicyState } from './guard/policy-state.ts'
export { protectedPaths } from './guard/protected-paths.ts'
export { realPathOf } from './guard/real-path.ts'
export { createClipText } from './hook/clip-text.ts'
export { type Firing, firingsPath } from './hook/record-firing.ts'
export { describeHookPages } from './install/describe-hook-pages.ts'
export { describeHookProgram, prepareHookProgram } from './install/find-hook-program.ts'
export { findHosts } from './install/find-hosts.ts'
export {
  applyInstall,
  applyUninstall,
  backupPath,
  readIfThere,
  readInstalled,
} from './install/install-record.ts'
export { type PlannedChange, planInstall, planUninstall } from './install/plan-change.ts'
export { renderDiff } from './install/render-diff.ts'
export { repairHooks } from './install/repair-hooks.ts'
export { GUARD_PATHS, type HookEntry } from './registration/hook-entry.ts'
export { HOOK_FILE, type HookOrigin, type HookProgram } from './registration/hook-program.ts'
export { type Finding, fine } from './report/finding.ts'
export type { AskedHost, HookReport, Registration } from './report/host-report.ts'
export { resumeSession } from './resume/resume-session.ts'
export { createBreather, findRecords, recordsAt } from './usage/find-records.ts'
export { changedRecords, importUsage } from './usage/import-usage.ts'
export type { LedgerSession, SessionChanges, SessionCursor } from './usage/ledger-sessions.ts'
export { measureBudget } from './usage/measure-budgets.ts'
export {
  type CallActivity,
  readRecentSessions,
  type SessionActivity,
} from './usage/recent-sessions.ts'
export { createLedgerReports, type LedgerReports } from './usage/report-large.ts'
export type { ModelTotal } from './usage/sum-costs.ts'
export { readPeriod, updateUsage, withUsageLedger } from './usage/update-ledger.ts'
export { openUsageLedger, type ReceivedCall, type UsageLedger } from './usage/usage-ledger.ts'
export type { FailedCommand, UsagePlace } from './usage/usage-reader.ts'
