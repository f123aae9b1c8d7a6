import { z } from 'zod'
import { hostedSettings } from './hosted/settings.ts'
import { schemaAddress } from './json.ts'
import {
  algorithmSettings,
  answersSettings,
  assistantSettings,
  guardsSettings,
  learningSettings,
  mcpSettings,
  wikiSettings,
} from './settings/assistant-settings.ts'
import {
  authSettings,
  backupSettings,
  observabilitySettings,
  sessionsSettings,
  storageSettings,
  watchdogSettings,
} from './settings/daemon-settings.ts'
import { edgeSettings, executionSettings } from './settings/execution-settings.ts'
import {
  daidentitySettings,
  notificationsSettings,
  voiceSettings,
} from './settings/notification-settings.ts'

import { usageSettings } from './settings/usage-settings.ts'

/**
 * `settings.json` in the data home. Unknown top-level keys belong to other tools and are kept; an
 * unknown key inside our sections is an error, because a typo in a budget costs money.
 */
export const settings = z
  .looseObject({
    $schema: schemaAddress,
    execution: executionSettings
      .prefault({})
      .meta({ description: 'Running actions, pipelines and flows.' }),
    edge: edgeSettings.prefault({}).meta({ description: 'Where deployed workers are.' }),
    observability: observabilitySettings
      .prefault({})
      .meta({ description: 'The daemon: its server, its event logs, where events are pushed.' }),
    auth: authSettings.prefault({}).meta({ description: 'Who may call the daemon.' }),
    sessions: sessionsSettings.prefault({}).meta({
      description: 'When a session counts as stale, and the sessions that Steward starts.',
    }),
    watchdog: watchdogSettings
      .prefault({})
      .meta({ description: 'Alerts about silent background agents.' }),
    notifications: notificationsSettings
      .prefault({})
      .meta({ description: 'Channels, routing and quiet hours.' }),
    voice: voiceSettings.prefault({}).meta({ description: 'Speech.' }),
    daidentity: daidentitySettings
      .prefault({})
      .meta({ description: 'The assistant: its name and its voices, by agent.' }),
    guards: guardsSettings.prefault({}).meta({ description: 'What assistants may not use.' }),
    algorithm: algorithmSettings
      .prefault({})
      .meta({ description: 'What assistants are told when a session begins.' }),
    answers: answersSettings
      .prefault({})
      .meta({ description: 'Answering assistants that wait for you.' }),
    assistant: assistantSettings.prefault({}).meta({ description: 'Its tasks and its diary.' }),
    learning: learningSettings
      .prefault({})
      .meta({ description: 'Learning signals and the ladder.' }),
    storage: storageSettings
      .prefault({})
      .meta({ description: 'The disk that holds the data home.' }),
    wiki: wikiSettings.prefault({}).meta({ description: 'Document sources of the wiki.' }),
    hosted: hostedSettings.prefault({}).meta({ description: 'The hosted agent API.' }),
    backup: backupSettings
      .prefault({})
      .meta({ description: 'Backups that the daemon makes by itself.' }),
    usage: usageSettings
      .prefault({})
      .meta({ description: 'Budgets for what assistants and Steward itself spend on models.' }),
    mcp: mcpSettings.prefault({}).meta({ description: 'What `steward mcp` offers to assistants.' }),
  })
  .meta({ title: 'Steward settings' })
export type Settings = z.infer<typeof settings>
