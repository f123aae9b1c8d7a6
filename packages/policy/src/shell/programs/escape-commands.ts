import { type Call, valuesGiven } from '../program.ts'
import { copyState } from '../shell-state.ts'
import { contentFor } from './read-operands.ts'
import { runCode } from './run-code.ts'

const BANG = /^\s*:?!(.+)/s
const SHELLS = /^\s*(?:platform\s+shell|shell|!|make\b|pipe\b[^|]*\|)\s*(\S.*)/s
const DOTS = /^\s*\.(?:shell|system|sh)\s+(\S.*)/s
const PIPES = /^\s*\.(?:output|once|import|excel)\s+['"]?\|\s*([^'"]+)/
const BACKSLASH = /\\!\s*(\S.*)/s
const BACKSLASH_PIPE = /\\(?:o|g|gx|w|copy\b.{0,200}\bprogram|watch)\s*(?:\|\s*)?['|]\s*([^']+)/
const FROM_PROGRAM = /\bprogram\s+'((?:[^']|''){1,500})'/i
const SYSTEM = /^\s*(?:\\!|system\s|\\system\s)\s*(\S.*)/is

/** The syntax by which a program's own command language runs a shell command, per line. */
const ESCAPES: Readonly<Record<string, readonly RegExp[]>> = {
  gdb: [SHELLS],
  lldb: [SHELLS],
  sqlite3: [DOTS, PIPES],
  sqlite: [DOTS, PIPES],
  sqlcipher: [DOTS, PIPES],
  duckdb: [DOTS, PIPES],
  psql: [BACKSLASH, BACKSLASH_PIPE, FROM_PROGRAM],
  pgcli: [BACKSLASH, BACKSLASH_PIPE, FROM_PROGRAM],
  cockroach: [BACKSLASH],
  mysql: [SYSTEM, BACKSLASH],
  mariadb: [SYSTEM, BACKSLASH],
  mycli: [SYSTEM, BACKSLASH],
  sqlplus: [/^\s*(?:host\s|!)\s*(\S.*)/is],
  sqlcmd: [/^\s*:?!!\s*(\S.*)/s],
  dc: [BANG],
  bc: [BANG],
  ftp: [BANG],
  lftp: [BANG, /(?:^|;)\s*(?:!|shell\s)\s*([^;]+)/],
  ipython: [BANG],
  sftp: [BANG],
  tftp: [BANG],
  telnet: [BANG],
  ghci: [/^\s*:!\s*(\S.*)/s],
  gnuplot: [BANG, /\b(?:system|shell)\s*(?:\(\s*)?["']([^"']+)/],
  mail: [/^\s*(?:~!|!|~\|)\s*(\S.*)/s],
  mailx: [/^\s*(?:~!|!|~\|)\s*(\S.*)/s],
  less: [/^\+\s*!(.+)/s, BANG],
  more: [/^\+\s*!(.+)/s, BANG],
  weechat: [/^\s*\/exec\s+(\S.*)/s],
  msfconsole: [BANG],
  impala: [/^\s*shell\s+(\S.*)/s],
  hive: [BANG],
  beeline: [/^\s*!sh\s+(\S.*)/s],
}

const READS: Readonly<Record<string, RegExp>> = {
  sqlite3: /^\s*\.(?:read|import|restore|open|archive)\s+['"]?([^'"\s]+)/,
  duckdb: /^\s*\.(?:read|open|import)\s+['"]?([^'"\s]+)/,
  psql: /\\(?:i|ir|include|include_relative|lo_import)\s+['"]?([^'"\s]+)/,
  mysql: /^\s*(?:\\\.|source)\s+(\S+)/i,
  mariadb: /^\s*(?:\\\.|source)\s+(\S+)/i,
}

/** A quoted text that can only be a path. */
const PATH = /'((?:\/|~\/)[^'\s]+)'|"((?:\/|~\/)[^"\s]+)"/g

/** Follows the shell commands and file reads in a program's own command language. */
export const runEscapes = (call: Call): void => {
  const { name, args, stdin, shell, state } = call
  if (!Object.hasOwn(ESCAPES, name)) return
  const values = args.map((arg) => /^--?[\w-]+=(.*)$/s.exec(arg)?.[1] ?? arg)
  const files = valuesGiven(args, ['-x', '--command', '-f', '--file', '-init', '-s', '--source'])
  const contents = files.map((file) => contentFor(call, file) ?? '')
  const lines = [...contents, ...values, ...valuesGiven(args, ['-c', '-e']), stdin].flatMap(
    (text) => text.split('\n'),
  )
  const reads = Object.hasOwn(READS, name) ? READS[name] : undefined
  for (const line of new Set(lines)) {
    for (const pattern of ESCAPES[name] ?? []) {
      const text = pattern.exec(line)?.[1]
      if (text !== undefined) runCode(call, text.replaceAll("''", "'"), '', copyState(state))
    }
    if (reads === undefined) continue
    const file = reads.exec(line)?.[1]
    if (file !== undefined) shell.read(file, { mention: true })
    for (const [, single, double] of line.matchAll(PATH)) {
      shell.read(single ?? double ?? '', { mention: true })
    }
  }
}
