import { HOSTED_MIGRATIONS } from '@steward/hosted'
import { OUTBOX_MIGRATIONS } from '@steward/notify'
import type { KnownStore } from '@steward/platform'
import { RUNNER_STORES } from '@steward/runner'
import { ASSISTANT_MIGRATIONS } from '../modules/assistant/tasks/task-state.ts'
import { ATTENTION_MIGRATIONS } from '../modules/attention/request-store.ts'
import { DRIVEN_MIGRATIONS } from '../modules/driven/driven-store.ts'
import { WEBHOOK_MIGRATIONS } from '../modules/execution/webhook-inbox.ts'
import { SPEECH_MIGRATIONS } from '../modules/voice/queue/speech-store.ts'

/** Every database of a data home that has a schema of ours. */
export const STORES: readonly KnownStore[] = [
  { path: 'state/assistant.sqlite', migrations: ASSISTANT_MIGRATIONS },
  { path: 'state/attention.sqlite', migrations: ATTENTION_MIGRATIONS },
  { path: 'state/driven.sqlite', migrations: DRIVEN_MIGRATIONS },
  ...RUNNER_STORES,
  { path: 'state/hosted.sqlite', migrations: HOSTED_MIGRATIONS },
  { path: 'state/outbox.sqlite', migrations: OUTBOX_MIGRATIONS },
  { path: 'state/speech.sqlite', migrations: SPEECH_MIGRATIONS },
  { path: 'state/webhooks.sqlite', migrations: WEBHOOK_MIGRATIONS },
]
