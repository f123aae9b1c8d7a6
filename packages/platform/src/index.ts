export * from './agent-log/agent-log.ts'
export { pairSubagents } from './agent-log/pair-subagents.ts'
export { readBackupRecord } from './backup/backup-record.ts'
export type { CreatedBackup } from './backup/create-backup.ts'
export * from './backup/restore-backup.ts'
export * from './backup/run-backup.ts'
export { coalesce } from './coalesce.ts'
export { type Connection, type Database, openDatabase, type Row } from './database/database.ts'
export { type DatabaseGuard, listOpenDatabases } from './database/database-guard.ts'
export { type DatabaseOptions, IN_MEMORY, removeDatabase } from './database/open-file.ts'
export { openForeignDatabase, readOther } from './database/open-foreign-database.ts'
export { askEdge } from './edge/ask-edge.ts'
export { askWorker, type WorkerAccess, type WorkerAnswer } from './edge/ask-worker.ts'
export { listWorkerItems, retryWorkerItems } from './edge/flow-items.ts'
export { codeOf, isAbsent, isMissing } from './error-code.ts'
export * from './events/collect-events.ts'
export * from './events/event-instant.ts'
export * from './events/event-key.ts'
export * from './events/event-log-path.ts'
export * from './events/normalise-event.ts'
export * from './events/sort-events.ts'
export * from './files/append-json-line.ts'
export { type Confinement, confinePath, isInside } from './files/confine-path.ts'
export { removeStaleDrafts } from './files/drafts.ts'
export * from './files/file-version.ts'
export * from './files/read-if-present.ts'
export * from './files/read-text-files.ts'
export { removeJsonMember, setJsonMember } from './files/set-json-member.ts'
export * from './files/state-file.ts'
export { createWatchFolder, type WatchFolder } from './files/watch-folder.ts'
export * from './files/write-file-atomically.ts'
export * from './files/write-once.ts'
export { isAddress, refusalOf, unwrapAddress } from './guarded-fetch/address.ts'
export { fetchUntil } from './guarded-fetch/fetch-until.ts'
export { keepPublic, type Lookup, lookUpAll } from './guarded-fetch/guarded-agent.ts'
export { createGuardedFetch, type GuardedFetchOptions } from './guarded-fetch/guarded-fetch.ts'
export { createGuardedStream, type GuardedStreamOptions } from './guarded-fetch/guarded-stream.ts'
export * from './halts/halts.ts'
export * from './home/change-settings.ts'
export { commandLineOf } from './home/command-line.ts'
export * from './home/daemon-info.ts'
export { migrateHome } from './home/data-version.ts'
export * from './home/deploy-ledger.ts'
export { type EdgeParts, findEdgeParts } from './home/edge-parts.ts'
export * from './home/ensure-home.ts'
export * from './home/env-file.ts'
export * from './home/environment.ts'
export * from './home/find-edge-worker.ts'
export * from './home/home.ts'
export * from './home/running-edge.ts'
export * from './home/settings.ts'
export * from './home/token-file.ts'
export * from './large-redaction/redact-large.ts'
export { captureRating, type PromptContext } from './learning/capture-rating.ts'
export { captureSignals, SIGNAL_KINDS, type SignalKind } from './learning/capture-signals.ts'
export { patternOfError, type RecentPattern } from './learning/failure-counts.ts'
export * from './learning/failure-tracker.ts'
export { addLadderItem, type NewLadderItem } from './learning/ladder/add-ladder-item.ts'
export * from './learning/ladder/find-ladder-entry.ts'
export * from './learning/ladder/ladder-root.ts'
export * from './learning/ladder/ladder-stages.ts'
export * from './learning/ladder/promote-ladder-item.ts'
export * from './learning/ladder/read-ladder.ts'
export * from './learning/learning-log.ts'
export { holdLock, isLockHeld, type Lock } from './locks/lock.ts'
export { type WithLockOptions, withLock } from './locks/with-lock.ts'
export * from './logs/append-log.ts'
export * from './logs/follow-log.ts'
export { LOG_START } from './logs/log-position.ts'
export * from './logs/log-row.ts'
export * from './logs/read-backwards.ts'
export * from './logs/read-rows-at.ts'
export * from './logs/read-tail.ts'
export * from './logs/rotate-log.ts'
export * from './logs/scan-log.ts'
export { once } from './once.ts'
export { endGroup, endProcess } from './processes/end-process.ts'
export { isAlive, readStartTime } from './processes/start-time.ts'
export {
  pause,
  type StartTimer,
  startBackgroundTimer,
  startSystemTimer,
} from './processes/start-timer.ts'
export * from './redaction/hide-secret-forms.ts'
export * from './redaction/redactor.ts'
export * from './redaction/secrets-of.ts'
export * from './repair/repair-home.ts'
export { countsProcessesApart } from './sandbox/bubblewrap.ts'
export {
  type BubblewrapFeatures,
  type BubblewrapMount,
  type BubblewrapProfile,
  describeBubblewrap,
  outerFirst,
} from './sandbox/bubblewrap-arguments.ts'
export { confineProgram, searchPathOf } from './sandbox/confine-program.ts'
export { detectBubblewrap, type InstalledBubblewrap } from './sandbox/detect-bubblewrap.ts'
export { type DetectOptions, detectSandbox } from './sandbox/detect-sandbox.ts'
export { DEFAULT_PATH, findCommand } from './sandbox/find-command.ts'
export { ensureSandbox, type InstallPorts } from './sandbox/install.ts'
export { chooseStage, launchBubblewrap } from './sandbox/launch-bubblewrap.ts'
export { endLeftSandboxes } from './sandbox/left-sandboxes.ts'
export { createUnsandboxed } from './sandbox/none.ts'
export { createOutputBuffer } from './sandbox/output-buffer.ts'
export { probeSandbox } from './sandbox/probe-sandbox.ts'
export {
  describeRedirect,
  findRedirectTools,
  type RedirectTools,
} from './sandbox/redirect-network.ts'
export {
  type Sandbox,
  type SandboxOutcome,
  type SandboxRun,
  TIMED_OUT_CODE,
} from './sandbox/sandbox.ts'
export {
  type IsolatedOptions,
  startInBubblewrap,
  startWithLimits,
} from './sandbox/start-isolated.ts'
export {
  type Launch,
  type StartedProcess,
  type StartProcessOptions,
  startProcess,
} from './sandbox/start-process.ts'
export * from './security-files/change-security-text.ts'
export { lastSecurityChange } from './security-files/kept-changes.ts'
export {
  readSecurityText,
  SECURITY_FILES,
  type SecurityFile,
  type SecurityText,
  securityFilePath,
} from './security-files/security-texts.ts'
export * from './security-log/append-security-event.ts'
export * from './security-log/count-security-events.ts'
export {
  readSecurityEvents,
  type SecurityEventsPage,
  type SecurityEventsQuery,
} from './security-log/read-security-events.ts'
export * from './security-log/verify-security-log.ts'
export { SQLITE, sqliteCodeOf } from './sqlite-code.ts'
export { checkDatabaseFile } from './storage/check-database-file.ts'
export * from './storage/disk-space.ts'
export * from './storage/examine-stores.ts'
export { isDamaged, isLocked, storageErrorOf, toStorageError } from './storage-error.ts'
export { decodePercent } from './text/decode-percent.ts'
export { formatDuration, formatTime } from './text/format-time.ts'
export { quote, quoteAll, quoteIfNeeded } from './text/shell-quote.ts'
export {
  createReaderThreads,
  type ReaderThreads,
  type ReaderThreadsOptions,
} from './threads/reader-threads.ts'
export { type Expanded, expandVariables } from './transport/expand-variables.ts'
export * from './transport/push-events.ts'
export type { TransportPorts } from './transport/push-to-targets.ts'
export * from './transport/push-work-state.ts'
export type { TargetOutcome } from './transport/target-outcome.ts'
export {
  activityOf,
  DEFAULT_THRESHOLDS,
  isStale,
  type StaleThresholds,
} from './work-state/activity.ts'
export { appendPhase, type PhaseSignal } from './work-state/append-phase.ts'
export { archiveSessions, workArchivePath } from './work-state/archive-sessions.ts'
export { bumpToolActivity, type ToolActivityOutcome } from './work-state/bump-tool-activity.ts'
export { classifyPrompt, type PromptClass, STARTING_VERBS } from './work-state/classify-prompt.ts'
export { describeSession } from './work-state/describe-session.ts'
export { describeWorkState, nextViewChange } from './work-state/describe-work-state.ts'
export { endSession } from './work-state/end-session.ts'
export { findTrivia, readBareRating, type TriviaReason } from './work-state/find-trivia.ts'
export { type Lane, laneOf, modeOf } from './work-state/lanes.ts'
export { formatMoment, parseMoment } from './work-state/moments.ts'
export { nameSession } from './work-state/name-session.ts'
export { proposeSessionName } from './work-state/propose-session-name.ts'
export { type ArchivedSession, pruneSessions } from './work-state/prune-sessions.ts'
export * from './work-state/pushed-states.ts'
export { type EntryView, readEntry } from './work-state/read-entry.ts'
export { type Prompt, type PromptOutcome, recordPrompt } from './work-state/record-prompt.ts'
export { type RecordPromptPorts, recordPromptInFile } from './work-state/record-prompt-in-file.ts'
export { type Rating, recordRating } from './work-state/record-rating.ts'
export { recordToolActivity } from './work-state/record-tool-activity.ts'
export * from './work-state/session-names.ts'
export { isComplete, PULSE_STRIP, type Session, sessionsOf } from './work-state/sessions.ts'
export { freeSlug, slugFor } from './work-state/slugs.ts'
export {
  locateSpecification,
  SPECIFICATION_FILES,
  type SpecificationPlace,
} from './work-state/specification/locate-specification.ts'
export {
  parseSpecification,
  type Specification,
} from './work-state/specification/parse-specification.ts'
export {
  type SpecificationSync,
  type SyncOutcome,
  syncSpecification,
} from './work-state/sync-specification.ts'
export { type FileSync, syncSpecificationFile } from './work-state/sync-specification-file.ts'
export type { Transition } from './work-state/transition.ts'
export type { ViewOptions } from './work-state/view-options.ts'
export {
  readWorkState,
  updateWorkState,
  type WorkStatePorts,
  type WorkStateUpdate,
} from './work-state/work-state-file.ts'
export { type VoicePhase, writeVoicePhase } from './work-state/write-voice-phase.ts'
