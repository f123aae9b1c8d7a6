export { announceRequest, type RequestAnnouncement } from './announce/announce-request.ts'
export { announceWorkflow, type WorkflowAnnouncement } from './announce/announce-workflow.ts'
export { classifyRequest, type RequestClass } from './announce/classify-request.ts'
export {
  type CompletionLine,
  findCompletionLine,
  type LastMessage,
} from './announce/completion-line.ts'
export { EFFORTS, type Effort, readEffort, readPhase, speaksPhase } from './announce/effort.ts'
export { findSkip, type Situation, SKIPS, type Skip } from './announce/find-skip.ts'
export { GERUNDS, type RequestKind } from './announce/request-verbs.ts'
export { checkWorkflow, listRoutedWorkflows, type Skill } from './announce/skill-workflows.ts'
export { pushSettingsOf } from './channels/channel-settings.ts'
export type { OutgoingMessage, Priority, PushButton } from './channels/outgoing-message.ts'
export { followTopics, type TopicMessage } from './channels/push/follow-topics.ts'
export { addressOfPush, retractPush, sendPush } from './channels/push/send-push.ts'
export { secretsOfChannels } from './channels/secrets-of-channels.ts'
export type { SendOutcome } from './channels/send-outcome.ts'
export {
  addWebPush,
  ensureWebPushKey,
  readWebPush,
  removeWebPush,
} from './channels/webpush/subscriptions.ts'
export {
  appendEventLog,
  type EventLogPorts,
  type EventLogRow,
  eventLogPath,
} from './event-log/append-event-log.ts'
export type { Delivery, DeliveryState } from './outbox/delivery.ts'
export { OUTBOX_MIGRATIONS } from './outbox/migrations.ts'
export type { Enqueued } from './outbox/outbox.ts'
export { readFailedNotices } from './outbox/read-failed-notices.ts'
export { isQuietAt, isTimezone, type QuietHours } from './routing/quiet-hours.ts'
export { createFlowSender } from './service/create-flow-sender.ts'
export { createNotifier } from './service/create-notifier.ts'
export type { ChannelHealth, NotifierHealth } from './service/describe-health.ts'
export type { Notice, NoticeOutcome } from './service/notice.ts'
export type { CompletionOptions, Notifier, NotifierPorts } from './service/notifier.ts'
export { notifierMachine } from './service/notifier-machine.ts'
export { findNamedTab, findTabTarget, type OwnProcess } from './tabs/find-tab-target.ts'
export { lookOfPhase, lookOfState } from './tabs/look-of-phase.ts'
export {
  PHASE_LOOKS,
  TAB_COLOURS,
  TAB_STATES,
  type TabLook,
  type TabState,
} from './tabs/phase-looks.ts'
export { buildHostSequence } from './tabs/sequences.ts'
export { recallTab, rememberTab } from './tabs/tab-memory.ts'
export { type TabPorts, tabPorts } from './tabs/tab-ports.ts'
export { type TabTarget, tabTarget } from './tabs/tab-target.ts'
export { type TabOutcome, updateTab } from './tabs/update-tab.ts'
