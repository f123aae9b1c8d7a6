import type { PathAccess } from '@steward/contract'

/** How a tool of a host assistant uses a path that it is given. */
interface ToolPath {
  fields: readonly string[]
  access: PathAccess
  recursive?: boolean
  /** The field that names where the path starts. */
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

/** A pattern of files; one inside the project is everyday work, whatever the names in it. */
const FINDS: ToolPath = { fields: ['pattern'], access: 'read', within: 'path' }

/** Tools by name, in the spelling of each host. */
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

/** What a tool of a server or a host that we do not know does with a path, by its name. */
export const guessToolPath = (tool: string): ToolPath => {
  const access = /delete|remove|unlink|trash/i.test(tool)
    ? 'delete'
    : /write|edit|create|save|update|append|move|rename|patch|put/i.test(tool)
      ? 'write'
      : 'read'
  return { fields: [...FILE, 'paths', 'source', 'destination'], access }
}

/** Whether a tool that we do not know runs commands, by its name. */
export const seemsShell = (tool: string): boolean =>
  /(^|[_.-])(bash|shell|powershell|exec|execute|terminal|cmd|run)([_.-]|$)|execute_?command|run_?(command|in_terminal|shell)/i.test(
    tool,
  )

/** Tools whose input is a command line, and the field that holds it. */
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
