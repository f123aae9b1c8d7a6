import type { JsonObject } from '@steward/contract'
import { createRedactor, type Redactor, type RedactorSource } from '../redaction/redactor.ts'

export interface SentRecords {
  source: RedactorSource
  records: readonly JsonObject[]
}

let made: { key: string; redactor: Redactor } | undefined

/** Runs in a thread: records of megabytes take a second. */
export const read = ({ source, records }: SentRecords): JsonObject[] => {
  const key = JSON.stringify(source)
  if (made?.key !== key) {
    made = { key, redactor: createRedactor(source.secrets, source.shortest) }
  }
  const { redactor } = made
  return records.map((record) => redactor.redactFields(record).value)
}
