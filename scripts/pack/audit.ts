import { spawnSync } from 'node:child_process'
import { isJsonObject } from '@steward/contract'

export type AuditOutcome =
  | { kind: 'clean' }
  | { kind: 'vulnerable'; report: string }
  | { kind: 'not checked'; reason: string }

/** Asks the registry for known vulnerabilities of high severity in what the program is made of. */
export const audit = (root: string): AuditOutcome => {
  const { status, stdout, error } = spawnSync(
    'npm',
    ['audit', '--omit', 'dev', '--audit-level', 'high', '--json'],
    { cwd: root, encoding: 'utf8' },
  )
  if (error !== undefined) return { kind: 'not checked', reason: error.message }
  return readAudit(status, stdout)
}

/** npm also exits 1 if the registry cannot be asked; only a report with counts is an answer. */
export const readAudit = (status: number | null, stdout: string): AuditOutcome => {
  let report: unknown
  try {
    report = JSON.parse(stdout)
  } catch {
    return { kind: 'not checked', reason: 'npm audit printed no report' }
  }
  if (!isJsonObject(report) || !isJsonObject(report.metadata)) {
    const message = isJsonObject(report) ? report.message : undefined
    const reason = typeof message === 'string' ? message : 'npm audit printed no report'
    return { kind: 'not checked', reason: reason.replace(/ - \w+ https?:\S+/, '') }
  }
  if (status === 0) return { kind: 'clean' }
  const names = isJsonObject(report.vulnerabilities) ? Object.keys(report.vulnerabilities) : []
  return { kind: 'vulnerable', report: names.join(', ') }
}
