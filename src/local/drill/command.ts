/** How to run the installed command: Node's own options, and the path of the script. */
export interface Command {
  execArgv: readonly string[];
  script: string;
}
