/**
 * One clear line for what usually stops a start.
 * @param portSetting the setting by which the port was chosen
 */
export function explainStartFailure(error: unknown, portSetting: 'port' | 'node-url'): string {
  if (!(error instanceof Error)) return String(error);
  const { code, port } = systemFields(error);
  if (code === 'EADDRINUSE') {
    return `port ${port} is taken: stop what uses it, or choose another with --${portSetting}`;
  }
  if (code === 'EACCES') return `port ${port} needs more rights: choose one above 1023 with --${portSetting}`;
  if (code === 'EADDRNOTAVAIL') return 'this machine has no such address: choose another with --host';
  return error.message;
}

function systemFields(error: Error): { code: string; port: string } {
  return {
    code: 'code' in error ? String(error.code) : '',
    port: 'port' in error ? String(error.port) : '',
  };
}
