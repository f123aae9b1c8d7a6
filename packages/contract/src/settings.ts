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
      .meta({ description: 'The daemon: its server, its event logs and the targets of events.' }),
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
    guards: guardsSettings.prefault({}).meta({ description: 'Restrictions for assistants.' }),
    algorithm: algorithmSettings
      .prefault({})
      .meta({ description: 'Instructions for assistants at the start of a session.' }),
    answers: answersSettings
      .prefault({})
      .meta({ description: 'Answering assistants that wait for you.' }),
    assistant: assistantSettings
      .prefault({})
      .meta({ description: 'Tasks and diary of the assistant.' }),
    learning: learningSettings
      .prefault({})
      .meta({ description: 'Learning signals and the ladder.' }),
    storage: storageSettings
      .prefault({})
      .meta({ description: 'The disk that holds the data home.' }),
    wiki: wikiSettings.prefault({}).meta({ description: 'Document sources of the wiki.' }),
    hosted: hostedSettings.prefault({}).meta({ description: 'The hosted agent API.' }),
    backup: backupSettings.prefault({}).meta({ description: 'Scheduled backups of the daemon.' }),
    usage: usageSettings
      .prefault({})
      .meta({ description: 'Budgets and prices for model calls of assistants and Steward.' }),
    mcp: mcpSettings.prefault({}).meta({ description: 'The MCP server for assistants.' }),
  })
  .meta({ title: 'Steward settings' })
export type Settings = z.infer<typeof settings>
