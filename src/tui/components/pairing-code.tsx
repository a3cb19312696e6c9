import { Box, Text } from 'ink';

/** The code to type on the phone, and where. */
export function PairingCode({ code }: { code: string }) {
  return (
    <Box flexDirection="column">
      <Text>On the phone: Settings → Linked devices → Link a device → Link with phone number instead</Text>
      <Box paddingY={1} paddingX={4}>
        <Text bold>{code}</Text>
      </Box>
    </Box>
  );
}
