import { isPlain, MARK } from '../marks.ts'
import type { Program } from '../program.ts'
import { runUnknown } from './run-unknown.ts'

/**
 * Clients that read statements from standard input; the patterns see statements in arguments
 * anyway.
 */
const client: Program = (call) => {
  const { stdin, shell } = call
  runUnknown(call)
  if (stdin !== '' && isPlain(stdin)) shell.judge(stdin)
  return MARK.unknown
}

export const DATABASE_PROGRAMS: Record<string, Program> = Object.fromEntries(
  'psql mysql mariadb sqlite3 duckdb sqlcmd cockroach clickhouse-client mongosh mongo redis-cli'
    .split(' ')
    .map((name) => [name, client]),
)
