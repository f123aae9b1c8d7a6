import {
  API,
  clientEvent,
  EVENT_SOURCES,
  EVENT_TYPES,
  LIVE_TOPICS,
  listableEvent,
  securityEvent,
  stewardEvent,
} from '@steward/contract'
import { z } from 'zod'
import { renderTable } from './render-table.ts'
import { schemaRows } from './schema-rows.ts'

const OUTPUT = { io: 'output', unrepresentable: 'any' } as const
const INPUT = { io: 'input', unrepresentable: 'any' } as const

const sourcePart = (name: keyof typeof EVENT_SOURCES): string => {
  const { file, defaultType } = EVENT_SOURCES[name]
  const rows = Object.entries(EVENT_TYPES[name]).map(([type, meaning]) => [`\`${type}\``, meaning])
  return `### ${name}\n\nIn \`${file}\`. A row without a type has the type \`${defaultType}\`.\n\n${renderTable(['Type', 'Meaning'], rows)}`
}

/** Named schemas are references; their fields are not. */
const fieldsOf = ({ shape }: typeof stewardEvent | typeof securityEvent): string => {
  const rows = schemaRows(z.toJSONSchema(z.object(shape), OUTPUT))
  return renderTable(
    ['Field', 'Type'],
    rows.map(([path, type]) => [path, type]),
  )
}

/** The types of a union, with the fields of each; those that all have are left out. */
const typesOf = (
  { options }: typeof listableEvent | typeof clientEvent,
  io: typeof INPUT | typeof OUTPUT,
): string => {
  const rows = options.map((option) => {
    const { properties = {} } = z.toJSONSchema(option, io)
    const { type, ...fields } = properties
    const name = typeof type === 'object' ? String(type.const) : ''
    const names = Object.keys(fields).filter((field) => field !== 'id' && field !== 'processed_at')
    return [`\`${name}\``, names.map((field) => `\`${field}\``).join(', ')]
  })
  return renderTable(['Type', 'Fields'], rows)
}

/** The named server-sent events of the daemon's streams. */
const STREAMS = [
  [API.streamEvents, '`ready`, `resync`; events themselves have no name'],
  [API.streamChanges, '`changed`, with a list of topics'],
  [API.streamRun, '`progress`, `end`'],
  [API.streamSession, '`output`, `end`'],
] as const

/** `docs/reference/events.md`: the events that Steward writes, streams and accepts. */
export const renderEventsPage = (): string => `# Events

Generated from the schemas in \`packages/contract\` by \`npm run generate\`. Do not edit. [The guide](../events.md) explains how they are
read, pushed and kept.

## Events of assistants

Every event has these fields, and others that depend on its type. Pushed events have the same form and may have any type.

${fieldsOf(stewardEvent)}
${(['tool-activity', 'tool-failure', 'voice', 'subagent'] as const).map(sourcePart).join('\n')}
## Security events

One for every verdict of a guard, in \`MEMORY/SECURITY\`; \`GET /api/security/events\` lists them.

${fieldsOf(securityEvent)}
## Streams

${renderTable(
  ['Stream', 'Named events'],
  STREAMS.map(([{ method, path }, names]) => [`\`${method} ${path}\``, names]),
)}
Topics of \`changed\`: ${LIVE_TOPICS.map((topic) => `\`${topic}\``).join(', ')}.

## Hosted sessions

Events of a session. All have \`id\` and \`processed_at\`.

${typesOf(listableEvent, OUTPUT)}
Events that a client sends:

${typesOf(clientEvent, INPUT)}`
