/** The network's code for why a query was refused; 200 when it was answered. */
export async function codeOf(query: Promise<unknown>): Promise<unknown> {
  try {
    await query;
    return 200;
  } catch (error) {
    return error instanceof Error && 'data' in error ? error.data : error;
  }
}
