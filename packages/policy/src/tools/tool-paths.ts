import type { PathAccess } from '@steward/contract'

/** How a host's tool uses a path in its input. */
interface ToolPath {
  fields: readonly string[]
  access: PathAccess
  recursive?: boolean
  /** The field with the base directory of the path. */
  within?: string
}

const FILE = ['file_path', 'path', 'filePath', 'absolute_path', 'target_file', 'filename']
const WRITES: ToolPath = { fields: FILE, access: 'write' }
const READS: ToolPath = { fields: FILE, access: 'read' }
const SEARCHES: ToolPath = {
  fields: ['path', 'dir_path', 'directory', 'include'],
  access: 'read',
  recursive: true,
}

const GREPS: ToolPath = { ...SEARCHES, fields: [...SEARCHES.fields, 'glob'] }

/** A file pattern; searching inside the project is harmless, whatever the names. */
const FINDS: ToolPath = { fields: ['pattern'], access: 'read', within: 'path' }

/** Tools by name, in each host's spelling. */
export const TOOL_PATHS: Readonly<Record<string, readonly ToolPath[]>> = {
  Read: [READS],
  read: [READS],
  read_file: [READS],
  read_many_files: [{ fields: ['paths', 'include'], access: 'read' }],
  NotebookRead: [{ fields: ['notebook_path'], access: 'read' }],
  LS: [{ fields: ['path', 'dir_path'], access: 'read' }],
  list: [{ fields: ['path'], access: 'read' }],
  list_directory: [{ fields: ['path', 'dir_path'], access: 'read' }],
  Glob: [SEARCHES, FINDS],
  glob: [SEARCHES, FINDS],
  Grep: [GREPS],
  grep: [GREPS],
  search_file_content: [SEARCHES],
  grep_search: [SEARCHES],
  Write: [WRITES],
  write: [WRITES],
  write_file: [WRITES],
  Edit: [WRITES],
  edit: [WRITES],
  edit_file: [WRITES],
  replace: [WRITES],
  MultiEdit: [WRITES],
  multiedit: [WRITES],
  patch: [WRITES],
  NotebookEdit: [{ fields: ['notebook_path'], access: 'write' }],
  delete_file: [{ fields: FILE, access: 'delete' }],
  Delete: [{ fields: FILE, access: 'delete' }],
}

/** Guesses from its name how an unknown tool uses a path. */
export const guessToolPath = (tool: string): ToolPath => {
  const access = /delete|remove|unlink|trash/i.test(tool)
    ? 'delete'
    : /write|edit|create|save|update|append|move|rename|patch|put/i.test(tool)
      ? 'write'
      : 'read'
  return { fields: [...FILE, 'paths', 'source', 'destination'], access }
}

/** Guesses from its name whether an unknown tool runs commands. */
export const seemsShell = (tool: string): boolean =>
  /(^|[_.-])(bash|shell|powershell|exec|execute|terminal|cmd|run)([_.-]|$)|execute_?command|run_?(command|in_terminal|shell)/i.test(
    tool,
  )

/** Tools whose input is a command line, with the field that contains it. */
export const SHELL_TOOLS: Readonly<Record<string, readonly string[]>> = {
  Bash: ['command'],
  bash: ['command'],
  Shell: ['command'],
  shell: ['command'],
  run_shell_command: ['command'],
  exec_command: ['cmd', 'command'],
  local_shell: ['command'],
  run_terminal_cmd: ['command'],
  Monitor: ['command'],
}
